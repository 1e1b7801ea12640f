-- What the service does by itself: who does it, and how it went (src/jobs/scheduler.ts).
CREATE TABLE tasks (
  name TEXT NOT NULL PRIMARY KEY,
  turn INTEGER NOT NULL,
  -- 0 while nobody does it.
  heartbeat INTEGER NOT NULL,
  holder TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  succeeded_at INTEGER,
  -- Since the last success.
  failures INTEGER NOT NULL,
  problem TEXT,
  due_at INTEGER
) STRICT;
