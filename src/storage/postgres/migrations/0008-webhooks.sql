-- Endpoints that get events.
CREATE TABLE webhooks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  url text COLLATE "C" NOT NULL,
  -- Separated by commas; null for all.
  types text COLLATE "C",
  description text COLLATE "C",
  -- Null while it is enabled.
  disabled_reason text COLLATE "C",
  -- Perhaps encrypted.
  secret text COLLATE "C" NOT NULL,
  old_secret text COLLATE "C",
  old_secret_until bigint,
  created_at bigint NOT NULL,
  last_success_at bigint,
  -- The time of the first failed attempt since the last success.
  failing_since bigint,
  -- Every event of the change log up to this one was delivered, is in `deliveries`, or is not wanted.
  position bigint NOT NULL,
  -- Grows when somebody changes the webhook or asks for a retry, so that its deliverer notices.
  revision bigint NOT NULL,
  -- The deliverer that delivers for it. No reference: a deliverer without a row is dead.
  deliverer_id bigint
);

-- Processes that deliver. Each increases its beat while it lives. Ids are never given again.
CREATE TABLE webhook_deliverers (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  beat bigint NOT NULL
);

-- The log of deliveries. No reference to the webhook: after its removal they go in small steps.
CREATE TABLE deliveries (
  webhook_id bigint NOT NULL,
  event_id bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  -- The record that the event is about, such as `pet 28`.
  record text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL,
  response_status bigint,
  response_body text COLLATE "C",
  error text COLLATE "C",
  created_at bigint NOT NULL,
  next_attempt_at bigint,
  delivered_at bigint,
  PRIMARY KEY (webhook_id, event_id)
);

CREATE INDEX deliveries_pending ON deliveries (webhook_id, event_id) WHERE status = 'pending';
