-- What the service does by itself: who does it, and how it went (src/jobs/scheduler.ts).
CREATE TABLE tasks (
  name text COLLATE "C" PRIMARY KEY,
  turn bigint NOT NULL,
  -- 0 while nobody does it.
  heartbeat bigint NOT NULL,
  holder text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint,
  succeeded_at bigint,
  -- Since the last success.
  failures bigint NOT NULL,
  problem text COLLATE "C",
  due_at bigint
);
