-- Which sites may show the box office inside of their own pages (docs/adr/0027-widget.md): none named, any.

-- They go into a header as they are: nothing may stand here that could end it or add to it.
ALTER TABLE organization_settings
    ADD COLUMN embed_origins text[] NOT NULL DEFAULT '{}'
        CHECK (cardinality(embed_origins) <= 20 AND array_position(embed_origins, NULL) IS NULL
               AND array_to_string(embed_origins, ' ') ~ '^(https?://[a-z0-9*.:-]+( |$))*$');
