-- Endpoints that get events.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  -- Separated by commas; null for all.
  types TEXT,
  description TEXT,
  -- Null while it is enabled.
  disabled_reason TEXT,
  -- Perhaps encrypted.
  secret TEXT NOT NULL,
  old_secret TEXT,
  old_secret_until INTEGER,
  created_at INTEGER NOT NULL,
  last_success_at INTEGER,
  -- The time of the first failed attempt since the last success.
  failing_since INTEGER,
  -- Every event of the change log up to this one was delivered, is in `deliveries`, or is not wanted.
  position INTEGER NOT NULL,
  -- Grows when somebody changes the webhook or asks for a retry, so that its deliverer notices.
  revision INTEGER NOT NULL,
  -- The deliverer that delivers for it. No reference: a deliverer without a row is dead.
  deliverer_id INTEGER
) STRICT;

-- Processes that deliver. Each increases its beat while it lives. Ids are never given again.
CREATE TABLE webhook_deliverers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  beat INTEGER NOT NULL
) STRICT;

-- The log of deliveries. No reference to the webhook: after its removal they go in small steps.
CREATE TABLE deliveries (
  webhook_id INTEGER NOT NULL,
  event_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  -- The record that the event is about, such as `pet 28`.
  record TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  response_status INTEGER,
  response_body TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  next_attempt_at INTEGER,
  delivered_at INTEGER,
  PRIMARY KEY (webhook_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX deliveries_pending ON deliveries (webhook_id, event_id) WHERE status = 'pending';
