-- What each row of a file said of its animal when it was last imported, as a hash. It outlives the
-- animal, so that one which was removed here does not come back with the next import.
CREATE TABLE imported_rows (
  external_id TEXT NOT NULL PRIMARY KEY,
  fingerprint TEXT NOT NULL CHECK (length(fingerprint) = 64)
) STRICT, WITHOUT ROWID;
