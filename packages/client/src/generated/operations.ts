// Made from openapi.json by `npm run openapi`.
import { type ChangeOptions, Group, type PostOptions } from '../group.ts';
import type { Int64 } from '../json.ts';
import type { List } from '../list.ts';
import type { CallOptions } from '../transport.ts';
import type {
  Category,
  CategoryChange,
  Event,
  IssuedKey,
  Key,
  KeyChange,
  KeyRotation,
  ListCategoriesQuery,
  ListEventsQuery,
  ListKeysQuery,
  ListOrdersQuery,
  ListPetHistoryQuery,
  ListPetsQuery,
  NewCategory,
  NewKey,
  NewOrder,
  NewPet,
  Order,
  OrderChange,
  Pet,
  PetChange,
  StatusChange,
  Usage,
} from './types.ts';

/** `store.pets`. */
export abstract class PetOperations extends Group {
  /** List animals. */
  list(query: ListPetsQuery = {}, options?: CallOptions): List<Pet> {
    return this.listAt('/pets', query, options);
  }

  /** Add an animal. */
  create(body: NewPet, options?: PostOptions): Promise<Pet> {
    return this.postTo('/pets', body, options, true);
  }

  /** Get an animal. */
  abstract get(petId: Int64, options?: CallOptions): Promise<Pet>;

  /** Change an animal. */
  update(petId: Int64, body: PetChange, options?: ChangeOptions<Pet>): Promise<Pet> {
    return this.changeAt('PATCH', `/pets/${petId}`, body, options, () => this.get(petId, options));
  }

  /** Remove an animal. */
  delete(petId: Int64, options?: ChangeOptions<Pet>): Promise<void> {
    return this.changeAt('DELETE', `/pets/${petId}`, undefined, options, () =>
      this.get(petId, options),
    );
  }

  /** List the status history of an animal. */
  history(
    petId: Int64,
    query: ListPetHistoryQuery = {},
    options?: CallOptions,
  ): List<StatusChange> {
    return this.listAt(`/pets/${petId}/history`, query, options);
  }
}

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

/** `store.orders`. */
export class OrderOperations extends Group {
  /** List orders. */
  list(query: ListOrdersQuery = {}, options?: CallOptions): List<Order> {
    return this.listAt('/store/orders', query, options);
  }

  /** Place an order. */
  place(body: NewOrder, options?: PostOptions): Promise<Order> {
    return this.postTo('/store/orders', body, options, true);
  }

  /** Get an order. */
  get(orderId: Int64, options?: CallOptions): Promise<Order> {
    return this.readAt(`/store/orders/${orderId}`, options);
  }

  /** Update an order. */
  update(orderId: Int64, body: OrderChange, options?: ChangeOptions<Order>): Promise<Order> {
    return this.changeAt('PATCH', `/store/orders/${orderId}`, body, options, () =>
      this.get(orderId, options),
    );
  }
}

/** `store.events`. */
export class EventOperations extends Group {
  /** List events. */
  list(query: ListEventsQuery = {}, options?: CallOptions): List<Event> {
    return this.listAt('/events', query, options);
  }
}

/** `store.keys`. */
export class KeyOperations extends Group {
  /** List API keys. */
  list(query: ListKeysQuery = {}, options?: CallOptions): List<Key> {
    return this.listAt('/keys', query, options);
  }

  /** Create an API key. */
  create(body: NewKey, options?: PostOptions): Promise<IssuedKey> {
    return this.postTo('/keys', body, options, true);
  }

  /** Get an API key. */
  get(keyId: Int64, options?: CallOptions): Promise<Key> {
    return this.readAt(`/keys/${keyId}`, options);
  }

  /** Change an API key. */
  update(keyId: Int64, body: KeyChange, options?: ChangeOptions<Key>): Promise<Key> {
    return this.changeAt('PATCH', `/keys/${keyId}`, body, options, () => this.get(keyId, options));
  }

  /** Revoke an API key. */
  revoke(keyId: Int64, options?: ChangeOptions<Key>): Promise<void> {
    return this.changeAt('DELETE', `/keys/${keyId}`, undefined, options, () =>
      this.get(keyId, options),
    );
  }

  /** Replace an API key. */
  rotate(keyId: Int64, body: KeyRotation, options?: PostOptions): Promise<IssuedKey> {
    return this.postTo(`/keys/${keyId}/rotate`, body, options);
  }

  /** Lift the ban of an API key. */
  unban(keyId: Int64, options?: PostOptions): Promise<Key> {
    return this.postTo(`/keys/${keyId}/unban`, undefined, options);
  }
}

/** `store.usage`. */
export class UsageOperations extends Group {
  /** Get the usage of your API key. */
  get(options?: CallOptions): Promise<Usage> {
    return this.readAt('/usage', options);
  }
}
