-- Since when a row has no animal, or when an import last met it without one. Such rows are forgotten
-- (docs/decisions/0041-retention.md). NULL while the animal is there.
ALTER TABLE imported_rows ADD COLUMN removed_at INTEGER;
UPDATE imported_rows SET removed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
WHERE NOT EXISTS (SELECT 1 FROM pets WHERE pets.external_id = imported_rows.external_id);
CREATE INDEX imported_rows_removed ON imported_rows (removed_at) WHERE removed_at IS NOT NULL;
CREATE TRIGGER imported_row_removed AFTER INSERT ON removed_pets WHEN new.external_id IS NOT NULL BEGIN
  UPDATE imported_rows SET removed_at = new.removed_at WHERE external_id = new.external_id;
END;

-- Finished orders that still say who adopted.
CREATE INDEX orders_to_erase ON orders (updated_at)
  WHERE status IN ('completed', 'cancelled') AND coalesce(adopter, contact, note) IS NOT NULL;
