-- The numbers of animals by status and by category, of the animals up to the id in counted_to. Counting
-- ten million animals takes a second, and changing both counts with each addition takes as long as the
-- addition itself. So additions are counted 256 at a time, and whoever reads counts those after
-- counted_to itself.
CREATE TABLE derived_counts_state (
  counted_to INTEGER NOT NULL
) STRICT;

CREATE TABLE derived_status_pets (
  status TEXT PRIMARY KEY,
  pets INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE derived_category_pets (
  category_id INTEGER PRIMARY KEY,
  pets INTEGER NOT NULL
) STRICT;

INSERT INTO derived_counts_state (counted_to) SELECT coalesce(max(id), 0) FROM pets;
INSERT INTO derived_status_pets (status, pets) VALUES ('available', 0), ('pending', 0), ('sold', 0);
UPDATE derived_status_pets
SET pets = (SELECT count(*) FROM pets WHERE pets.status = derived_status_pets.status);
INSERT INTO derived_category_pets (category_id, pets)
SELECT category_id, count(*) FROM pets GROUP BY category_id;

-- Copies of other databases may add ids that are not above counted_to: each counts at once.
CREATE TRIGGER derived_pets_added AFTER INSERT ON pets
WHEN new.id % 256 = 0 OR new.id <= (SELECT counted_to FROM derived_counts_state)
BEGIN
  UPDATE derived_status_pets SET pets = pets + (
    SELECT count(*) FROM pets
    WHERE (id > (SELECT counted_to FROM derived_counts_state) OR id = new.id)
      AND +pets.status = derived_status_pets.status
  );
  INSERT INTO derived_category_pets (category_id, pets)
  SELECT +category_id, count(*) FROM pets
  WHERE id > (SELECT counted_to FROM derived_counts_state) OR id = new.id
  GROUP BY +category_id
  ON CONFLICT (category_id) DO UPDATE SET pets = pets + excluded.pets;
  UPDATE derived_counts_state SET counted_to = max(counted_to, (SELECT max(id) FROM pets));
END;

CREATE TRIGGER derived_pets_removed AFTER DELETE ON pets
WHEN old.id <= (SELECT counted_to FROM derived_counts_state)
BEGIN
  UPDATE derived_status_pets SET pets = pets - 1 WHERE status = old.status;
  UPDATE derived_category_pets SET pets = pets - 1 WHERE category_id = old.category_id;
  DELETE FROM derived_category_pets WHERE category_id = old.category_id AND pets = 0;
END;

CREATE TRIGGER derived_pets_changed_status AFTER UPDATE OF status ON pets
WHEN old.status <> new.status AND old.id <= (SELECT counted_to FROM derived_counts_state)
BEGIN
  UPDATE derived_status_pets SET pets = pets - 1 WHERE status = old.status;
  UPDATE derived_status_pets SET pets = pets + 1 WHERE status = new.status;
END;

CREATE TRIGGER derived_pets_changed_category AFTER UPDATE OF category_id ON pets
WHEN old.category_id <> new.category_id AND old.id <= (SELECT counted_to FROM derived_counts_state)
BEGIN
  UPDATE derived_category_pets SET pets = pets - 1 WHERE category_id = old.category_id;
  DELETE FROM derived_category_pets WHERE category_id = old.category_id AND pets = 0;
  INSERT INTO derived_category_pets (category_id, pets) VALUES (new.category_id, 1)
  ON CONFLICT (category_id) DO UPDATE SET pets = pets + 1;
END;

-- Orders completed in each week, numbered from the week of the Unix epoch. An order does not say when it
-- was completed: its updated_at changes again when personal fields are erased.
CREATE TABLE adoptions (
  week INTEGER PRIMARY KEY,
  completed INTEGER NOT NULL
) STRICT;

-- Orders from before the change log count when they were last updated. Weeks start on Monday, and the
-- epoch was a Thursday.
INSERT INTO adoptions (week, completed)
SELECT (coalesce(logged.at, orders.updated_at) + 259200000) / 604800000 AS week, count(*)
FROM orders LEFT JOIN (
  SELECT record_id, min(at) AS at FROM changes
  WHERE type = 'order.updated' AND status = 'completed' GROUP BY record_id
) AS logged ON logged.record_id = orders.id
WHERE orders.status = 'completed' GROUP BY week;

CREATE TRIGGER adoptions_completed AFTER UPDATE OF status ON orders
WHEN new.status = 'completed' AND old.status <> 'completed'
BEGIN
  INSERT INTO adoptions (week, completed)
  VALUES ((new.updated_at + 259200000) / 604800000, 1)
  ON CONFLICT (week) DO UPDATE SET completed = completed + 1;
END;
