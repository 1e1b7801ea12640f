-- When and how animals came and left. No reference: a stay outlives its animal, for the reports.
CREATE TABLE stays (
  id bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991) PRIMARY KEY,
  pet_id bigint NOT NULL,
  intake_date text COLLATE "C" NOT NULL,
  intake_type text COLLATE "C",
  outcome_date text COLLATE "C" CHECK (outcome_date >= intake_date),
  outcome_type text COLLATE "C" CHECK ((outcome_type IS NULL) = (outcome_date IS NULL)),
  note text COLLATE "C",
  -- What the report counts by: from the profile, which a stay outlives. The age is that at the intake.
  species text COLLATE "C" NOT NULL DEFAULT 'unknown',
  age text COLLATE "C" NOT NULL DEFAULT 'unknown'
);
CREATE INDEX stays_by_pet ON stays (pet_id);
CREATE UNIQUE INDEX stays_open ON stays (pet_id) WHERE outcome_date IS NULL;
CREATE INDEX stays_by_outcome ON stays (outcome_date, intake_date, outcome_type, intake_type, species, age);

-- The list that staff work with: a row follows from the animal and its profile, and is written with them.
CREATE TABLE animals (
  pet_id bigint PRIMARY KEY,
  state text COLLATE "C" NOT NULL CHECK (state IN ('here', 'left', 'removed')),
  status text COLLATE "C" NOT NULL,
  category_id bigint NOT NULL,
  species text COLLATE "C",
  care text COLLATE "C",
  care_until text COLLATE "C",
  -- 1 or 0.
  published bigint NOT NULL,
  has_photo bigint NOT NULL DEFAULT 0,
  -- The first day of the newest stay.
  since text COLLATE "C" NOT NULL,
  -- Folded. U+10FFFD for animals without a place.
  name text COLLATE "C" NOT NULL,
  location text COLLATE "C" NOT NULL,
  -- Its folded words, each once, separated by spaces.
  words text COLLATE "C" NOT NULL
);
CREATE INDEX animals_by_name ON animals (name, pet_id);
CREATE INDEX animals_by_since ON animals (since, pet_id);
CREATE INDEX animals_by_location ON animals (location, pet_id);
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
CREATE INDEX animals_by_word ON animals USING gin (array_to_tsvector(string_to_array(words, ' ')));

CREATE FUNCTION find_animal_photo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT FROM photos WHERE pet_id = new.pet_id) THEN new.has_photo := 1; END IF;
  RETURN new;
END $$;
CREATE TRIGGER animal_photo_found BEFORE INSERT ON animals
FOR EACH ROW EXECUTE FUNCTION find_animal_photo();
CREATE FUNCTION note_animal_photo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE animals SET has_photo = 1 WHERE pet_id = new.pet_id AND has_photo = 0;
  ELSIF NOT EXISTS (SELECT FROM photos WHERE pet_id = old.pet_id) THEN
    UPDATE animals SET has_photo = 0 WHERE pet_id = old.pet_id AND state <> 'removed';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER animal_photo_noted AFTER INSERT OR DELETE ON photos
FOR EACH ROW EXECUTE FUNCTION note_animal_photo();
CREATE FUNCTION forget_animal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM animals WHERE pet_id = old.pet_id AND NOT EXISTS (SELECT FROM pets WHERE id = old.pet_id);
  RETURN NULL;
END $$;
CREATE TRIGGER animal_forgotten AFTER DELETE ON removed_pets
FOR EACH ROW EXECUTE FUNCTION forget_animal();

ALTER TABLE orders ADD COLUMN returned_at bigint;
ALTER TABLE orders ADD COLUMN return_reason text COLLATE "C";
DROP INDEX orders_to_erase;
CREATE INDEX orders_to_erase ON orders (updated_at)
  WHERE status IN ('completed', 'cancelled') AND coalesce(adopter, contact, note, return_reason) IS NOT NULL;

-- Until now the care of an animal said that it had left. On which day is not known.
CREATE TEMPORARY TABLE gone ON COMMIT DROP AS
  SELECT pet_id, CASE CAST(private AS json) ->> 'care'
      WHEN 'returned_to_owner' THEN 'to_owner' ELSE CAST(private AS json) ->> 'care' END AS outcome
  FROM (SELECT pet_id, private FROM profiles UNION ALL SELECT pet_id, private FROM removed_pets) AS known
  WHERE CAST(private AS json) ->> 'care' IN ('returned_to_owner', 'transferred', 'died');
CREATE TEMPORARY TABLE migrated ON COMMIT DROP AS
  SELECT CAST(extract(epoch FROM now()) * 1000 AS bigint) AS at, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day;

WITH cancelled AS (
  UPDATE orders SET status = 'cancelled', updated_at = (SELECT at FROM migrated)
  WHERE status IN ('placed', 'approved') AND pet_id IN (SELECT pet_id FROM gone)
  RETURNING id, pet_id, status, placed_at, updated_at
)
INSERT INTO unnumbered_changes (type, at, record_id, pet_id, status, placed_at, updated_at)
SELECT 'order.updated', updated_at, id, pet_id, status, placed_at, updated_at FROM cancelled ORDER BY id;
INSERT INTO status_changes (pet_id, number, status, changed_at, key_id)
SELECT id, (SELECT coalesce(max(number), 1) + 1 FROM status_changes WHERE pet_id = id), 'sold', at, NULL
FROM pets CROSS JOIN migrated WHERE status <> 'sold' AND id IN (SELECT pet_id FROM gone);
INSERT INTO unnumbered_changes (type, at, record_id, name, category_id, status, changed)
SELECT 'pet.updated', at, id, name, category_id, 'sold',
  json_build_object('status', json_build_array(status, 'sold'))::text
FROM pets CROSS JOIN migrated WHERE status <> 'sold' AND id IN (SELECT pet_id FROM gone) ORDER BY id;
UPDATE pets SET status = 'sold' WHERE status <> 'sold' AND id IN (SELECT pet_id FROM gone);
UPDATE removed_pets SET status = 'sold', public = (public::jsonb - 'published')::text,
  private = (private::jsonb - 'care')::text WHERE pet_id IN (SELECT pet_id FROM gone);
UPDATE profiles SET public = (public::jsonb - 'published')::text, private = (private::jsonb - 'care')::text
WHERE pet_id IN (SELECT pet_id FROM gone);
DELETE FROM listings WHERE pet_id IN (SELECT pet_id FROM gone);

-- The first stay of each animal: open, or ended when it was last sold or removed.
CREATE FUNCTION pg_temp.day_of(at bigint) RETURNS text LANGUAGE sql AS
  $$ SELECT to_char(to_timestamp(at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') $$;
INSERT INTO stays (pet_id, intake_date, outcome_date, outcome_type, species)
SELECT pet_id, since, CASE WHEN left_on IS NOT NULL THEN greatest(since COLLATE "C", left_on COLLATE "C") END,
  CASE WHEN left_on IS NOT NULL THEN outcome END, species
FROM (
  SELECT id AS pet_id, coalesce(public::json ->> 'inCareSince', pg_temp.day_of(added_at)) AS since,
    coalesce(public::json ->> 'species', 'unknown') AS species,
    CASE WHEN outcome IS NOT NULL THEN (SELECT day FROM migrated) WHEN status = 'sold' THEN pg_temp.day_of(coalesce(
      (SELECT max(changed_at) FROM status_changes WHERE pet_id = pets.id AND status_changes.status = 'sold'), added_at
    )) END AS left_on,
    coalesce(outcome, 'adopted') AS outcome
  FROM pets LEFT JOIN profiles ON profiles.pet_id = id LEFT JOIN gone ON gone.pet_id = id
  UNION ALL
  SELECT removed_pets.pet_id, coalesce(public::json ->> 'inCareSince', pg_temp.day_of(added_at)),
    coalesce(public::json ->> 'species', 'unknown'),
    CASE WHEN outcome IS NOT NULL THEN (SELECT day FROM migrated) ELSE pg_temp.day_of(removed_at) END,
    coalesce(outcome, CASE WHEN status = 'sold' THEN 'adopted' ELSE 'other' END)
  FROM removed_pets LEFT JOIN gone ON gone.pet_id = removed_pets.pet_id
) AS first ORDER BY pet_id;
INSERT INTO profiles (pet_id, public, private)
SELECT pet_id, json_build_object('inCareSince', intake_date)::text, '{}' FROM stays
WHERE pet_id IN (SELECT id FROM pets)
ON CONFLICT (pet_id) DO UPDATE SET public = (profiles.public::jsonb || excluded.public::jsonb)::text;
UPDATE removed_pets SET private = coalesce(private, '{}'), public = (coalesce(public, '{}')::jsonb ||
  (SELECT jsonb_build_object('inCareSince', intake_date) FROM stays WHERE stays.pet_id = removed_pets.pet_id))::text;
INSERT INTO unnumbered_changes (type, at, pet_id, data, changed)
SELECT 'profile.updated', at, gone.pet_id, public, json_build_object('care', json_build_array(outcome, NULL))::text
FROM gone JOIN profiles ON profiles.pet_id = gone.pet_id CROSS JOIN migrated ORDER BY gone.pet_id;
-- The age in whole months of the calendar.
UPDATE stays SET age = CASE
    WHEN (substr(intake_date, 1, 4)::int - substr(born, 1, 4)::int) * 12 + substr(intake_date, 6, 2)::int
      - substr(born, 6, 2)::int - (substr(intake_date, 9, 2) < substr(born, 9, 2))::int < 5
    THEN 'juvenile' ELSE 'adult' END
FROM (
  SELECT pet_id AS id, public::json ->> 'birthDate' AS born FROM profiles
  UNION ALL SELECT pet_id, public::json ->> 'birthDate' FROM removed_pets
) AS known WHERE known.id = stays.pet_id AND born IS NOT NULL;
-- The rows of animals are made by those who migrate: SQL cannot take accents off.
