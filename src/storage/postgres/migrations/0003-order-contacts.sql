-- How to reach who adopts, and what else is to be remembered of the adoption.
ALTER TABLE orders
  ADD COLUMN contact text COLLATE "C",
  ADD COLUMN note text COLLATE "C";
