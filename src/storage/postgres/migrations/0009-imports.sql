-- Imports that requests started. The process that carries one out renews a lease; without it, others
-- know that it has stopped.
CREATE TABLE imports (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  key_id bigint NOT NULL,
  dry_run bigint NOT NULL CHECK (dry_run IN (0, 1)),
  status text COLLATE "C" NOT NULL,
  -- Times in milliseconds since the Unix epoch.
  created_at bigint NOT NULL,
  ended_at bigint,
  -- JSON.
  row_counts text COLLATE "C" NOT NULL,
  animal_counts text COLLATE "C" NOT NULL,
  rejected_rows text COLLATE "C" NOT NULL,
  failure text COLLATE "C",
  owner text COLLATE "C" NOT NULL,
  lease_ends_at bigint NOT NULL,
  -- Batches written.
  steps bigint NOT NULL
);

CREATE INDEX imports_by_end ON imports (ended_at);
