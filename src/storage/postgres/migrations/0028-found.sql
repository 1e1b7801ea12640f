-- What families look for: since when the public sees an animal, its breed, and from which age of children on it fits.
ALTER TABLE listings
  DROP COLUMN children,
  -- The age of the youngest child in years; NULL if it is not known to fit any.
  ADD COLUMN child_age bigint,
  -- The folded words of its breeds; NULL until those who migrate have filled it: SQL cannot take accents off.
  ADD COLUMN breed text COLLATE "C",
  ADD COLUMN breed_name text COLLATE "C",
  ADD COLUMN listed_at bigint NOT NULL DEFAULT 0,
  -- When what the public sees last changed.
  ADD COLUMN shown_at bigint NOT NULL DEFAULT 0;
UPDATE listings SET listed_at = coalesce(
  (SELECT max(back.changed_at) FROM status_changes AS back
    JOIN status_changes AS away ON away.pet_id = back.pet_id AND away.number = back.number - 1
    WHERE back.pet_id = listings.pet_id AND back.status <> 'sold' AND away.status = 'sold'),
  (SELECT added_at FROM pets WHERE id = listings.pet_id), 0);
UPDATE listings SET shown_at = listed_at;

-- The fair order is one of those that are free, and then one of those that are reserved.
DROP INDEX listings_by_place;
CREATE INDEX listings_by_place ON listings (status, place, pet_id);
CREATE INDEX listings_by_listed_at ON listings (listed_at, pet_id);

-- What names the entries of feeds for ever (RFC 4151), once there is a feed.
ALTER TABLE shop ADD COLUMN feed_tag text COLLATE "C";
