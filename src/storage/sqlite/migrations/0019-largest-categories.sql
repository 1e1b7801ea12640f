-- The categories with the most animals, in the order in which the statistics list them.
CREATE INDEX derived_category_pets_by_pets ON derived_category_pets (pets DESC, category_id);
