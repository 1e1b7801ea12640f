-- The status that an animal was added with, and who added it when, stand in its own row: most never
-- have another. What follows is numbered by animal, from 2.
ALTER TABLE pets
  ADD COLUMN first_status text COLLATE "C"
    CHECK (first_status IN ('available', 'pending', 'sold')),
  ADD COLUMN added_at bigint,
  ADD COLUMN added_by bigint;

-- Of an animal from before there was a history nothing is known before this moment.
UPDATE pets SET
  first_status = coalesce(first.status, pets.status),
  added_at = coalesce(first.changed_at, floor(extract(epoch FROM now()) * 1000)::bigint),
  added_by = first.key_id
FROM pets AS same LEFT JOIN (
  SELECT DISTINCT ON (pet_id) pet_id, status, changed_at, key_id
  FROM status_changes ORDER BY pet_id, id
) AS first ON first.pet_id = same.id
WHERE same.id = pets.id;

ALTER TABLE pets
  ALTER COLUMN first_status SET NOT NULL,
  ALTER COLUMN added_at SET NOT NULL;

CREATE TABLE status_changes_made_anew (
  pet_id bigint NOT NULL REFERENCES pets (id) ON DELETE CASCADE,
  number bigint NOT NULL CHECK (number >= 2),
  status text COLLATE "C" NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
  changed_at bigint NOT NULL,
  key_id bigint
);

INSERT INTO status_changes_made_anew
SELECT pet_id, number, status, changed_at, key_id FROM (
  SELECT *, row_number() OVER (PARTITION BY pet_id ORDER BY id) AS number FROM status_changes
) AS numbered WHERE number >= 2;

DROP TABLE status_changes;
ALTER TABLE status_changes_made_anew RENAME TO status_changes;
ALTER TABLE status_changes ADD PRIMARY KEY (pet_id, number);
