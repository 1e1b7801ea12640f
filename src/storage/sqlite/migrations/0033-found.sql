-- What families look for: since when the public sees an animal, its breed, and from which age of children on it fits.
DROP INDEX listings_by_place;
DROP INDEX listings_by_name;
DROP INDEX listings_by_since;
DROP INDEX listings_by_pet_id;
DROP INDEX listings_by_value;
ALTER TABLE listings DROP COLUMN children;
-- The age of the youngest child in years; NULL if it is not known to fit any.
ALTER TABLE listings ADD COLUMN child_age INTEGER;
-- The folded words of its breeds; NULL until those who migrate have filled it: SQL cannot take accents off.
ALTER TABLE listings ADD COLUMN breed TEXT;
ALTER TABLE listings ADD COLUMN breed_name TEXT;
ALTER TABLE listings ADD COLUMN listed_at INTEGER NOT NULL DEFAULT 0;
-- When what the public sees last changed.
ALTER TABLE listings ADD COLUMN shown_at INTEGER NOT NULL DEFAULT 0;
UPDATE listings SET listed_at = coalesce(
  (SELECT max(back.changed_at) FROM status_changes AS back
    JOIN status_changes AS away ON away.pet_id = back.pet_id AND away.number = back.number - 1
    WHERE back.pet_id = listings.pet_id AND back.status <> 'sold' AND away.status = 'sold'),
  (SELECT added_at FROM pets WHERE id = listings.pet_id), 0);
UPDATE listings SET shown_at = listed_at;

-- One for each order, with what a filter reads, so that rows are fetched only for the page. The fair order is one
-- of those that are free, and then one of those that are reserved.
CREATE INDEX listings_by_place ON listings
  (status, place, pet_id, species, sex, size, birth_date, age_group, dogs, cats, child_age, category_id);
CREATE INDEX listings_by_name ON listings
  (name, pet_id, species, status, sex, size, birth_date, age_group, dogs, cats, child_age, category_id);
CREATE INDEX listings_by_since ON listings
  (since, pet_id, species, status, sex, size, birth_date, age_group, dogs, cats, child_age, category_id);
CREATE INDEX listings_by_listed_at ON listings
  (listed_at, pet_id, species, status, sex, size, birth_date, age_group, dogs, cats, child_age, category_id);
CREATE INDEX listings_by_value ON listings
  (species, sex, size, status, category_id, dogs, cats, child_age, age_group, birth_date);

-- What names the entries of feeds for ever (RFC 4151), once there is a feed.
ALTER TABLE shop ADD COLUMN feed_tag TEXT;
