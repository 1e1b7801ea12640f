import {
  isOpen,
  ORDER_STATUSES,
  type Order,
  type OrderStatus,
  type Personal,
} from '../../domain/order.ts';

/** An order as a row. */
export interface OrderRow {
  readonly id: bigint;
  readonly pet_id: bigint;
  readonly adopter: string | null;
  readonly contact: string | null;
  readonly note: string | null;
  readonly status: OrderStatus;
  readonly placed_at: bigint;
  readonly updated_at: bigint;
}

/** The columns of an `OrderRow`. */
export const ORDER_COLUMNS = 'id, pet_id, adopter, contact, note, status, placed_at, updated_at';

const OPEN_STATUSES = ORDER_STATUSES.filter(isOpen).map((status) => `'${status}'`);

/** The SQL condition for an order that holds its animal. */
export const ORDER_IS_OPEN = `status IN (${OPEN_STATUSES.join(', ')})`;

/** The order in a row. */
export function orderOf(row: OrderRow): Order {
  return {
    id: row.id,
    petId: row.pet_id,
    adopter: row.adopter ?? undefined,
    contact: row.contact ?? undefined,
    note: row.note ?? undefined,
    status: row.status,
    placedAt: Number(row.placed_at),
    updatedAt: Number(row.updated_at),
  };
}

/** The values of the personal columns, in the order of `ORDER_COLUMNS`. */
export type PersonalCells = [adopter: string | null, contact: string | null, note: string | null];

/** The personal fields of an order as its columns take them. */
export function personalCells({ adopter, contact, note }: Partial<Personal>): PersonalCells {
  return [adopter ?? null, contact ?? null, note ?? null];
}
