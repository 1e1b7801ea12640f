-- How to reach who adopts, and what else is to be remembered of the adoption.
ALTER TABLE orders ADD COLUMN contact TEXT;
ALTER TABLE orders ADD COLUMN note TEXT;
