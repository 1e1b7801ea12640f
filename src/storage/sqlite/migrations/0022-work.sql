-- Whether a listed animal has a photo: 1 or 0. To look for those without among 100,000 would take 50 ms.
ALTER TABLE listings ADD COLUMN has_photo INTEGER NOT NULL DEFAULT 0;
UPDATE listings SET has_photo = 1 WHERE pet_id IN (SELECT pet_id FROM photos);
CREATE TRIGGER listing_photo_found AFTER INSERT ON listings
WHEN EXISTS (SELECT 1 FROM photos WHERE pet_id = new.pet_id) BEGIN
  UPDATE listings SET has_photo = 1 WHERE pet_id = new.pet_id;
END;
CREATE TRIGGER listing_photo_added AFTER INSERT ON photos BEGIN
  UPDATE listings SET has_photo = 1 WHERE pet_id = new.pet_id AND has_photo = 0;
END;
CREATE TRIGGER listing_photo_removed AFTER DELETE ON photos
WHEN NOT EXISTS (SELECT 1 FROM photos WHERE pet_id = old.pet_id) BEGIN
  UPDATE listings SET has_photo = 0 WHERE pet_id = old.pet_id;
END;

-- What is on the work list.
CREATE INDEX listings_without_photo ON listings (pet_id) WHERE has_photo = 0;
CREATE INDEX orders_open_by_time ON orders (placed_at) WHERE status IN ('placed', 'approved');
CREATE INDEX imports_with_rejected_rows ON imports (ended_at) WHERE dry_run = 0 AND rejected_rows <> '[]';
