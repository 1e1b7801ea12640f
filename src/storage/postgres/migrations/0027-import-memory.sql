-- What named the photos that imports took, so that none is fetched twice; and what was chosen for the
-- columns of a file, for the next one with the same columns.

ALTER TABLE imported_rows ADD COLUMN photos text;
ALTER TABLE imports ADD COLUMN header text;
ALTER TABLE imports ADD COLUMN choices text;
CREATE INDEX imports_header ON imports (header, id) WHERE header IS NOT NULL;
