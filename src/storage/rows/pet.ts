/** The columns of a Pet under its member names, so that a row is a Pet. */
export const PET_COLUMNS = 'id, name, category_id AS "categoryId", status';
