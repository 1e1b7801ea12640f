-- When an order took each of its steps. Before, the change log may know.
ALTER TABLE orders ADD COLUMN approved_at bigint;
ALTER TABLE orders ADD COLUMN completed_at bigint;
ALTER TABLE orders ADD COLUMN cancelled_at bigint;
CREATE TEMPORARY TABLE steps ON COMMIT DROP AS
  SELECT record_id, status, min(at) AS at FROM (
    SELECT type, record_id, status, at FROM changes
    UNION ALL SELECT type, record_id, status, at FROM unnumbered_changes
  ) AS logged
  WHERE type = 'order.updated' AND status IN ('approved', 'completed', 'cancelled') GROUP BY 1, 2;
UPDATE orders SET
  approved_at = coalesce(
    (SELECT at FROM steps WHERE record_id = id AND steps.status = 'approved'),
    CASE status WHEN 'approved' THEN updated_at END),
  completed_at = CASE status WHEN 'completed' THEN
    coalesce((SELECT at FROM steps WHERE record_id = id AND steps.status = 'completed'), updated_at) END,
  cancelled_at = CASE status WHEN 'cancelled' THEN
    coalesce((SELECT at FROM steps WHERE record_id = id AND steps.status = 'cancelled'), updated_at) END
WHERE status <> 'placed';
DROP TABLE steps;
