-- Whether a listed animal has a photo: 1 or 0. To look for those without among 100,000 would take 50 ms.
ALTER TABLE listings ADD COLUMN has_photo bigint NOT NULL DEFAULT 0;
UPDATE listings SET has_photo = 1 WHERE pet_id IN (SELECT pet_id FROM photos);

CREATE FUNCTION find_listing_photo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT FROM photos WHERE pet_id = new.pet_id) THEN new.has_photo := 1; END IF;
  RETURN new;
END $$;
CREATE TRIGGER listing_photo_found BEFORE INSERT ON listings
FOR EACH ROW EXECUTE FUNCTION find_listing_photo();

CREATE FUNCTION note_listing_photo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE listings SET has_photo = 1 WHERE pet_id = new.pet_id AND has_photo = 0;
  ELSIF NOT EXISTS (SELECT FROM photos WHERE pet_id = old.pet_id) THEN
    UPDATE listings SET has_photo = 0 WHERE pet_id = old.pet_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER listing_photo_noted AFTER INSERT OR DELETE ON photos
FOR EACH ROW EXECUTE FUNCTION note_listing_photo();

-- What is on the work list.
CREATE INDEX listings_without_photo ON listings (pet_id) WHERE has_photo = 0;
CREATE INDEX orders_open_by_time ON orders (placed_at) WHERE status IN ('placed', 'approved');
CREATE INDEX imports_with_rejected_rows ON imports (ended_at) WHERE dry_run = 0 AND rejected_rows <> '[]';
