// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';

/** A category to add. */
export interface NewCategory {
  /** The name of the category. No two names differ only in case. */
  name: string;
}

/** The changes to make to a category. */
export interface CategoryChange {
  /** The name of the category. No two names differ only in case. */
  name?: string | undefined;
}

/** What to list. */
export interface ListCategoriesQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /** Only categories with these ids, comma-separated or repeated. */
  id?: Int64 | readonly Int64[] | undefined;
  /** Only the category with this name, ignoring case. */
  name?: string | undefined;
}
