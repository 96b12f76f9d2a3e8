"""The `config` format for layouts, as other systems store them: JSON with zones and seats."""
