-- While the schema has the version shared_version, releases that know version shared_from may use it too.
ALTER TABLE deployment ADD COLUMN shared_version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deployment ADD COLUMN shared_from INTEGER NOT NULL DEFAULT 0;
