-- While the schema has the version shared_version, releases that know version shared_from may use it too.
ALTER TABLE deployment ADD COLUMN shared_version integer NOT NULL DEFAULT 0;
ALTER TABLE deployment ADD COLUMN shared_from integer NOT NULL DEFAULT 0;
