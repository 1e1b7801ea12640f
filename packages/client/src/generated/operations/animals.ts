// Made from openapi.json by `npm run openapi`.
import { Group } from '../../group.ts';
import type { List } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type { Animal, ListAnimalsQuery } from '../types.ts';

/** `store.animals`. */
export class AnimalOperations extends Group {
  /** List animals as staff see them. */
  list(query: ListAnimalsQuery = {}, options?: CallOptions): List<Animal> {
    return this.listAt('/animals', query, options);
  }
}
