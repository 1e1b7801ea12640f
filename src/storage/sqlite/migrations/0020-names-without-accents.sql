-- Searches ignore accents, and SQL cannot take them off: who migrates folds the names of these animals.
UPDATE pets SET name_folded = '' WHERE name_folded GLOB '*[^ -~]*';
