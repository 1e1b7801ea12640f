-- The numbers of animals by status and by category, since counting ten million animals takes a second.
-- A number is the sum of what was added up and of the changes since: a writer only inserts, so that
-- writers never wait for each other.
CREATE TABLE derived_status_pets (
  status text COLLATE "C" PRIMARY KEY,
  pets bigint NOT NULL
);

CREATE TABLE derived_category_pets (
  category_id bigint PRIMARY KEY,
  pets bigint NOT NULL
);

CREATE TABLE derived_pet_changes (
  category_id bigint NOT NULL,
  status text COLLATE "C" NOT NULL,
  pets bigint NOT NULL
);

CREATE FUNCTION note_pet_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO derived_pet_changes (category_id, status, pets)
    SELECT category_id, status, count(*) FROM added GROUP BY category_id, status;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO derived_pet_changes (category_id, status, pets)
    SELECT category_id, status, -count(*) FROM removed GROUP BY category_id, status;
  ELSE
    INSERT INTO derived_pet_changes (category_id, status, pets)
    SELECT category_id, status, sum(pets) FROM (
      SELECT category_id, status, 1 AS pets FROM added
      UNION ALL SELECT category_id, status, -1 FROM removed
    ) AS changed GROUP BY category_id, status HAVING sum(pets) <> 0;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION forget_pet_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM derived_status_pets;
  DELETE FROM derived_category_pets;
  DELETE FROM derived_pet_changes;
  RETURN NULL;
END
$$;

-- The first of these keeps writers out until the animals below are counted.
CREATE TRIGGER derived_pets_added AFTER INSERT ON pets
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_pet_counts();
CREATE TRIGGER derived_pets_removed AFTER DELETE ON pets
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION note_pet_counts();
CREATE TRIGGER derived_pets_changed AFTER UPDATE ON pets
  REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION note_pet_counts();
CREATE TRIGGER derived_pets_truncated AFTER TRUNCATE ON pets
  FOR EACH STATEMENT EXECUTE FUNCTION forget_pet_counts();

INSERT INTO derived_status_pets (status, pets) SELECT status, count(*) FROM pets GROUP BY status;
INSERT INTO derived_category_pets (category_id, pets)
SELECT category_id, count(*) FROM pets GROUP BY category_id;

-- Orders completed in each week, numbered from the week of the Unix epoch. An order does not say when it
-- was completed: its updated_at changes again when personal fields are erased.
CREATE TABLE adoptions (
  week bigint PRIMARY KEY,
  completed bigint NOT NULL
);

CREATE FUNCTION count_adoption() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO adoptions AS counted (week, completed)
  VALUES ((new.updated_at + 259200000) / 604800000, 1)
  ON CONFLICT (week) DO UPDATE SET completed = counted.completed + 1;
  RETURN NULL;
END
$$;

-- Weeks start on Monday, and the epoch was a Thursday.
CREATE TRIGGER adoptions_completed AFTER UPDATE OF status ON orders FOR EACH ROW
  WHEN (new.status = 'completed' AND old.status <> 'completed')
  EXECUTE FUNCTION count_adoption();

-- Orders from before the change log count when they were last updated.
INSERT INTO adoptions (week, completed)
SELECT (coalesce(logged.at, orders.updated_at) + 259200000) / 604800000, count(*)
FROM orders LEFT JOIN (
  SELECT record_id, min(at) AS at FROM (
    SELECT record_id, at FROM changes WHERE type = 'order.updated' AND status = 'completed'
    UNION ALL
    SELECT record_id, at FROM unnumbered_changes
    WHERE type = 'order.updated' AND status = 'completed'
  ) AS completions GROUP BY record_id
) AS logged ON logged.record_id = orders.id
WHERE orders.status = 'completed' GROUP BY 1;
