-- What each row of a file said of its animal when it was last imported, as a hash. It outlives the
-- animal, so that one which was removed here does not come back with the next import.
CREATE TABLE imported_rows (
  external_id text COLLATE "C" PRIMARY KEY,
  fingerprint text COLLATE "C" NOT NULL CHECK (length(fingerprint) = 64)
);
