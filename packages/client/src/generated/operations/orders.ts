// Made from openapi.json by `npm run openapi`.
import { type ChangeOptions, Group, type PostOptions } from '../../group.ts';
import type { Int64 } from '../../json.ts';
import type { List } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type { ListOrdersQuery, NewOrder, Order, OrderChange, OrderReturn } from '../types.ts';

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

  /** Take an animal back. */
  return(orderId: Int64, body: OrderReturn, options?: PostOptions): Promise<Order> {
    return this.postTo(`/store/orders/${orderId}/return`, body, options);
  }
}
