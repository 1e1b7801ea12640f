-- Tells this database from any other; a copy of it has the same.
ALTER TABLE deployment ADD COLUMN id text NOT NULL DEFAULT replace(CAST(gen_random_uuid() AS text), '-', '');

-- The clock that retention trusts (docs/decisions/0041-retention.md): at most one row.
CREATE TABLE retention (
  only_one bigint PRIMARY KEY CHECK (only_one = 1),
  -- When it last ran; before that, the time of the newest record when it was first asked.
  trusted_at bigint NOT NULL,
  -- What the clock said when it began to wait; NULL while it runs.
  waiting_at bigint,
  -- 1 before the first run, and once `petstore erase --now` was asked for: that run has no bound.
  unbounded bigint NOT NULL,
  -- 1 if that was asked for.
  asked bigint NOT NULL
);

-- What retention has erased of each table on the last day on which it erased anything of it.
CREATE TABLE erasures (
  table_name text COLLATE "C" PRIMARY KEY,
  -- Days since the Unix epoch.
  day bigint NOT NULL,
  -- The rows before the first erasure of that day.
  rows_before bigint NOT NULL,
  erased bigint NOT NULL
);
