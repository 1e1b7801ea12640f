-- Imports that requests started. The process that carries one out renews a lease; without it, others
-- know that it has stopped.
CREATE TABLE imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key_id INTEGER NOT NULL,
  dry_run INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
  status TEXT NOT NULL,
  -- Times in milliseconds since the Unix epoch.
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  -- JSON.
  row_counts TEXT NOT NULL,
  animal_counts TEXT NOT NULL,
  rejected_rows TEXT NOT NULL,
  failure TEXT,
  owner TEXT NOT NULL,
  lease_ends_at INTEGER NOT NULL,
  -- Batches written.
  steps INTEGER NOT NULL
) STRICT;

CREATE INDEX imports_by_end ON imports (ended_at);
