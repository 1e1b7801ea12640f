-- The right to deliver: at most one row. One process of the deployment delivers for all webhooks.
CREATE TABLE webhook_lease (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Grows whenever a process takes the lease.
  term INTEGER NOT NULL,
  -- Grows while that process lives; 0 once it has given the lease back.
  heartbeat INTEGER NOT NULL
) STRICT;

ALTER TABLE webhooks DROP COLUMN deliverer_id;
DROP TABLE webhook_deliverers;
