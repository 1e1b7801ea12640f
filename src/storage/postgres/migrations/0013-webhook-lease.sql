-- The right to deliver: at most one row. One process of the deployment delivers for all webhooks.
CREATE TABLE webhook_lease (
  id bigint PRIMARY KEY CHECK (id = 1),
  -- Grows whenever a process takes the lease.
  term bigint NOT NULL,
  -- Grows while that process lives; 0 once it has given the lease back.
  heartbeat bigint NOT NULL
);

ALTER TABLE webhooks DROP COLUMN deliverer_id;
DROP TABLE webhook_deliverers;
