-- When and how animals came and left. No reference: a stay outlives its animal, for the reports.
CREATE TABLE stays (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  pet_id INTEGER NOT NULL,
  intake_date TEXT NOT NULL,
  intake_type TEXT,
  outcome_date TEXT CHECK (outcome_date >= intake_date),
  outcome_type TEXT CHECK ((outcome_type IS NULL) = (outcome_date IS NULL)),
  note TEXT,
  -- What the report counts by: from the profile, which a stay outlives. The age is that at the intake.
  species TEXT NOT NULL DEFAULT 'unknown',
  age TEXT NOT NULL DEFAULT 'unknown'
) STRICT;
CREATE INDEX stays_by_pet ON stays (pet_id);
CREATE UNIQUE INDEX stays_open ON stays (pet_id) WHERE outcome_date IS NULL;
CREATE INDEX stays_by_outcome ON stays (outcome_date, intake_date, outcome_type, intake_type, species, age);

-- The list that staff work with: a row follows from the animal and its profile, and is written with them.
CREATE TABLE animals (
  pet_id INTEGER NOT NULL PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('here', 'left', 'removed')),
  status TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  species TEXT,
  care TEXT,
  care_until TEXT,
  -- 1 or 0.
  published INTEGER NOT NULL,
  has_photo INTEGER NOT NULL DEFAULT 0,
  -- The first day of the newest stay.
  since TEXT NOT NULL,
  -- Folded. U+10FFFD for animals without a place.
  name TEXT NOT NULL,
  location TEXT NOT NULL,
  -- Its folded words, each once, separated by spaces.
  words TEXT NOT NULL
) STRICT;
-- One for each order, with what a filter reads, so that rows are fetched only for the page.
CREATE INDEX animals_by_name ON animals
  (name, pet_id, state, status, category_id, species, care, published, has_photo);
CREATE INDEX animals_by_since ON animals
  (since, pet_id, state, status, category_id, species, care, published, has_photo);
CREATE INDEX animals_by_location ON animals
  (location, pet_id, state, status, category_id, species, care, published, has_photo);
-- For values that few animals have. One that was just added is in the first alone, so that additions stay cheap.
CREATE INDEX animals_here ON animals (published, has_photo, status) WHERE state = 'here';
CREATE INDEX animals_gone ON animals (state) WHERE state <> 'here';
CREATE INDEX animals_of_status ON animals (status) WHERE status <> 'available';
CREATE INDEX animals_of_species ON animals (species) WHERE species IS NOT NULL;
CREATE INDEX animals_of_care ON animals (care) WHERE care IS NOT NULL;
CREATE INDEX animals_published ON animals (published) WHERE published = 1;
CREATE INDEX animals_with_photo ON animals (has_photo) WHERE has_photo = 1;
CREATE INDEX animals_held ON animals (care_until)
  WHERE state = 'here' AND care IN ('quarantine', 'medical', 'hold');

CREATE VIRTUAL TABLE derived_animal_words USING fts5 (
  words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '1 2'
);
-- New animals enter the index of words 256 at a time, which costs a tenth. Searches look into those after `indexed_to`.
CREATE TABLE derived_animal_words_state (indexed_to INTEGER NOT NULL) STRICT;
INSERT INTO derived_animal_words_state (indexed_to) VALUES (0);
CREATE TRIGGER animal_words_added AFTER INSERT ON animals
WHEN new.pet_id NOT BETWEEN (SELECT indexed_to + 1 FROM derived_animal_words_state)
  AND (SELECT indexed_to + 255 FROM derived_animal_words_state)
BEGIN
  INSERT INTO derived_animal_words (rowid, words) SELECT pet_id, words FROM animals
  WHERE pet_id > (SELECT indexed_to FROM derived_animal_words_state) OR pet_id = new.pet_id;
  UPDATE derived_animal_words_state SET indexed_to = max(indexed_to, (SELECT max(pet_id) FROM animals));
END;
CREATE TRIGGER animal_words_changed AFTER UPDATE OF words ON animals
WHEN new.words <> old.words AND old.pet_id <= (SELECT indexed_to FROM derived_animal_words_state)
BEGIN
  DELETE FROM derived_animal_words WHERE rowid = old.pet_id;
  INSERT INTO derived_animal_words (rowid, words) VALUES (new.pet_id, new.words);
END;
CREATE TRIGGER animal_words_removed AFTER DELETE ON animals
WHEN old.pet_id <= (SELECT indexed_to FROM derived_animal_words_state)
BEGIN
  DELETE FROM derived_animal_words WHERE rowid = old.pet_id;
END;
CREATE TRIGGER animal_photo_found AFTER INSERT ON animals
WHEN EXISTS (SELECT 1 FROM photos WHERE pet_id = new.pet_id) BEGIN
  UPDATE animals SET has_photo = 1 WHERE pet_id = new.pet_id;
END;
CREATE TRIGGER animal_photo_added AFTER INSERT ON photos BEGIN
  UPDATE animals SET has_photo = 1 WHERE pet_id = new.pet_id AND has_photo = 0;
END;
CREATE TRIGGER animal_photo_removed AFTER DELETE ON photos
WHEN NOT EXISTS (SELECT 1 FROM photos WHERE pet_id = old.pet_id) BEGIN
  UPDATE animals SET has_photo = 0 WHERE pet_id = old.pet_id AND state <> 'removed';
END;
CREATE TRIGGER animal_forgotten AFTER DELETE ON removed_pets
WHEN NOT EXISTS (SELECT 1 FROM pets WHERE id = old.pet_id) BEGIN
  DELETE FROM animals WHERE pet_id = old.pet_id;
END;

ALTER TABLE orders ADD COLUMN returned_at INTEGER;
ALTER TABLE orders ADD COLUMN return_reason TEXT;
DROP INDEX orders_to_erase;
CREATE INDEX orders_to_erase ON orders (updated_at)
  WHERE status IN ('completed', 'cancelled') AND coalesce(adopter, contact, note, return_reason) IS NOT NULL;

-- Until now the care of an animal said that it had left. On which day is not known.
CREATE TEMPORARY TABLE gone AS
  SELECT pet_id, CASE json_extract(private, '$.care')
      WHEN 'returned_to_owner' THEN 'to_owner' ELSE json_extract(private, '$.care') END AS outcome
  FROM (SELECT pet_id, private FROM profiles UNION ALL SELECT pet_id, private FROM removed_pets)
  WHERE json_extract(private, '$.care') IN ('returned_to_owner', 'transferred', 'died');
CREATE TEMPORARY TABLE migrated AS
  SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS at, date('now') AS day;

UPDATE orders SET status = 'cancelled', updated_at = (SELECT at FROM migrated)
WHERE status IN ('placed', 'approved') AND pet_id IN (SELECT pet_id FROM gone);
INSERT INTO changes (type, at, record_id, pet_id, status, placed_at, updated_at)
SELECT 'order.updated', at, id, pet_id, status, placed_at, updated_at FROM orders JOIN migrated
WHERE updated_at = at AND pet_id IN (SELECT pet_id FROM gone) ORDER BY id;
INSERT INTO status_changes (pet_id, number, status, changed_at, key_id)
SELECT id, (SELECT coalesce(max(number), 1) + 1 FROM status_changes WHERE pet_id = id), 'sold', at, NULL
FROM pets JOIN migrated WHERE status <> 'sold' AND id IN (SELECT pet_id FROM gone);
INSERT INTO changes (type, at, record_id, name, category_id, status, changed)
SELECT 'pet.updated', at, id, name, category_id, 'sold', json_object('status', json_array(status, 'sold'))
FROM pets JOIN migrated WHERE status <> 'sold' AND id IN (SELECT pet_id FROM gone) ORDER BY id;
UPDATE pets SET status = 'sold' WHERE status <> 'sold' AND id IN (SELECT pet_id FROM gone);
UPDATE removed_pets SET status = 'sold', public = json_remove(public, '$.published'),
  private = json_remove(private, '$.care') WHERE pet_id IN (SELECT pet_id FROM gone);
UPDATE profiles SET public = json_remove(public, '$.published'), private = json_remove(private, '$.care')
WHERE pet_id IN (SELECT pet_id FROM gone);
DELETE FROM listings WHERE pet_id IN (SELECT pet_id FROM gone);

-- The first stay of each animal: open, or ended when it was last sold or removed.
INSERT INTO stays (pet_id, intake_date, outcome_date, outcome_type, species)
SELECT pet_id, since, max(since, left_on), CASE WHEN left_on IS NOT NULL THEN outcome END, species
FROM (
  SELECT id AS pet_id, coalesce(json_extract(public, '$.inCareSince'), date(added_at / 1000, 'unixepoch')) AS since,
    coalesce(json_extract(public, '$.species'), 'unknown') AS species,
    CASE WHEN outcome IS NOT NULL THEN (SELECT day FROM migrated) WHEN status = 'sold' THEN date(coalesce(
      (SELECT max(changed_at) FROM status_changes WHERE pet_id = id AND status = 'sold'), added_at
    ) / 1000, 'unixepoch') END AS left_on,
    coalesce(outcome, 'adopted') AS outcome
  FROM pets LEFT JOIN profiles ON profiles.pet_id = id LEFT JOIN gone ON gone.pet_id = id
  UNION ALL
  SELECT removed_pets.pet_id, coalesce(json_extract(public, '$.inCareSince'), date(added_at / 1000, 'unixepoch')),
    coalesce(json_extract(public, '$.species'), 'unknown'),
    CASE WHEN outcome IS NOT NULL THEN (SELECT day FROM migrated) ELSE date(removed_at / 1000, 'unixepoch') END,
    coalesce(outcome, CASE WHEN status = 'sold' THEN 'adopted' ELSE 'other' END)
  FROM removed_pets LEFT JOIN gone ON gone.pet_id = removed_pets.pet_id
) ORDER BY pet_id;
INSERT INTO profiles (pet_id, public, private)
SELECT pet_id, json_object('inCareSince', intake_date), '{}' FROM stays WHERE pet_id IN (SELECT id FROM pets)
ON CONFLICT (pet_id) DO UPDATE SET public = json_set(public, '$.inCareSince',
  json_extract(excluded.public, '$.inCareSince'));
UPDATE removed_pets SET private = coalesce(private, '{}'), public = json_set(coalesce(public, '{}'), '$.inCareSince',
  (SELECT intake_date FROM stays WHERE stays.pet_id = removed_pets.pet_id));
INSERT INTO changes (type, at, pet_id, data, changed)
SELECT 'profile.updated', at, gone.pet_id, public, json_object('care', json_array(outcome, NULL))
FROM gone JOIN profiles ON profiles.pet_id = gone.pet_id JOIN migrated ORDER BY gone.pet_id;
-- The age in whole months of the calendar.
UPDATE stays SET age = CASE
    WHEN (substr(intake_date, 1, 4) - substr(born, 1, 4)) * 12 + substr(intake_date, 6, 2) - substr(born, 6, 2)
      - (substr(intake_date, 9, 2) < substr(born, 9, 2)) < 5 THEN 'juvenile' ELSE 'adult' END
FROM (
  SELECT pet_id AS id, json_extract(public, '$.birthDate') AS born FROM profiles
  UNION ALL SELECT pet_id, json_extract(public, '$.birthDate') FROM removed_pets
) AS known WHERE known.id = stays.pet_id AND born IS NOT NULL;
DROP TABLE gone;
DROP TABLE migrated;
-- The rows of animals are made by those who migrate: SQL cannot take accents off.
