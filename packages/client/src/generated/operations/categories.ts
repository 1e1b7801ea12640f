// Made from openapi.json by `npm run openapi`.
import { type ChangeOptions, Group, type PostOptions } from '../../group.ts';
import type { Int64 } from '../../json.ts';
import type { List } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type { Category, CategoryChange, ListCategoriesQuery, NewCategory } from '../types.ts';

/** `store.categories`. */
export class CategoryOperations extends Group {
  /** List categories. */
  list(query: ListCategoriesQuery = {}, options?: CallOptions): List<Category> {
    return this.listAt('/categories', query, options);
  }

  /** Add a category. */
  create(body: NewCategory, options?: PostOptions): Promise<Category> {
    return this.postTo('/categories', body, options, true);
  }

  /** Get a category. */
  get(categoryId: Int64, options?: CallOptions): Promise<Category> {
    return this.readAt(`/categories/${categoryId}`, options);
  }

  /** Rename a category. */
  update(
    categoryId: Int64,
    body: CategoryChange,
    options?: ChangeOptions<Category>,
  ): Promise<Category> {
    return this.changeAt('PATCH', `/categories/${categoryId}`, body, options, () =>
      this.get(categoryId, options),
    );
  }

  /** Remove a category. */
  delete(categoryId: Int64, options?: ChangeOptions<Category>): Promise<void> {
    return this.changeAt('DELETE', `/categories/${categoryId}`, undefined, options, () =>
      this.get(categoryId, options),
    );
  }
}
