import type { Order, OrderStatus } from '../domain/order.ts';

/** An order as a database gives it. */
export interface OrderRow {
  readonly id: bigint;
  readonly pet_id: bigint;
  readonly adopter: string | null;
  readonly status: OrderStatus;
  readonly placed_at: bigint;
  readonly updated_at: bigint;
}

/** The columns of an `OrderRow`. */
export const ORDER_COLUMNS = 'id, pet_id, adopter, status, placed_at, updated_at';

/** The order in a row. */
export function orderOf(row: OrderRow): Order {
  return {
    id: row.id,
    petId: row.pet_id,
    adopter: row.adopter ?? undefined,
    status: row.status,
    placedAt: Number(row.placed_at),
    updatedAt: Number(row.updated_at),
  };
}
