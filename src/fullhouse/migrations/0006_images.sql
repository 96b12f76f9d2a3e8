-- Cover pictures. The rows are here; the files, three sizes of each, are in the folder or bucket (kit/files.py) under
-- the organisation's and the picture's id. A file is written before its row, and removed after it: every row has its
-- files, and a file without a row is out of reach and harms nobody.
CREATE TABLE images (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    digest          text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),  -- SHA-256 of what was uploaded
    width           integer NOT NULL CHECK (width BETWEEN 1 AND 12000),   -- as people see it, after turning
    height          integer NOT NULL CHECK (height BETWEEN 1 AND 12000),
    bytes           integer NOT NULL CHECK (bytes > 0),   -- what its files weigh together
    created_by      uuid,
    attached_at     timestamptz,   -- first used by a show; never used, it is forgotten after a day
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT images_digest UNIQUE (organization_id, digest)
);
-- The sweeper's, across organisations.
CREATE INDEX images_unused ON images (created_at) WHERE attached_at IS NULL;
CALL app.protect('images');
CALL app.let_workers_find('images');

-- In the order in which they are shown. The first is the cover.
ALTER TABLE events ADD COLUMN cover_image_ids uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(cover_image_ids) <= 10);
ALTER TABLE public_events ADD COLUMN cover_image_ids uuid[] NOT NULL DEFAULT '{}';
