-- Tells this database from any other; a copy of the file has the same.
ALTER TABLE deployment ADD COLUMN id TEXT NOT NULL DEFAULT '';
UPDATE deployment SET id = lower(hex(randomblob(16)));
-- The id with a number that only grows: tells an older copy of the file.
ALTER TABLE deployment ADD COLUMN mark TEXT NOT NULL DEFAULT '';

-- The clock that retention trusts (docs/decisions/0041-retention.md): at most one row.
CREATE TABLE retention (
  only_one INTEGER NOT NULL PRIMARY KEY CHECK (only_one = 1),
  -- When it last ran; before that, the time of the newest record when it was first asked.
  trusted_at INTEGER NOT NULL,
  -- What the clock said when it began to wait; NULL while it runs.
  waiting_at INTEGER,
  -- 1 before the first run, and once `petstore erase --now` was asked for: that run has no bound.
  unbounded INTEGER NOT NULL,
  -- 1 if that was asked for.
  asked INTEGER NOT NULL
) STRICT;

-- What retention has erased of each table on the last day on which it erased anything of it.
CREATE TABLE erasures (
  table_name TEXT NOT NULL PRIMARY KEY,
  -- Days since the Unix epoch.
  day INTEGER NOT NULL,
  -- The rows before the first erasure of that day.
  rows_before INTEGER NOT NULL,
  erased INTEGER NOT NULL
) STRICT;
