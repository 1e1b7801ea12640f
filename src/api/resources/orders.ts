import * as z from 'zod';
import { type Caller, mayUse } from '../../domain/api-key.ts';
import type { LoggedOrder } from '../../domain/change-log.ts';
import { Failure } from '../../domain/failure.ts';
import { foldName } from '../../domain/name.ts';
import {
  invalidTransition,
  ORDER_SORTS,
  ORDER_STATUSES,
  type Order,
  type OrderSearch,
  petNotAvailable,
  petNotFound,
  type StepTime,
} from '../../domain/order.ts';
import { changes, creates, lists, showing, shows, takes } from '../contract/bodies.ts';
import { cursorInQuery, limitInQuery, listPage, pageOf } from '../contract/list-page.ts';
import {
  defineOperation,
  Missing,
  operationsNamed,
  type Restore,
  type Result,
} from '../contract/operation.ts';
import { requireMatch } from '../contract/precondition.ts';
import {
  int64InPath,
  int64InQuery,
  oneOf,
  searchInQuery,
  timeInQuery,
  wordsInQuery,
} from '../contract/request-fields.ts';
import { timeText, timeTextIfGiven } from '../contract/response-fields.ts';
import {
  newOrderSchema,
  orderChangeSchema,
  orderReturnSchema,
  orderSchema,
  STATUS,
} from './order-schemas.ts';

export const PLACED = {
  id: 3n,
  petId: 15n,
  adopter: 'The Alvarez family',
  contact: 'alvarez@example.com',
  note: 'Garden with a fence, two children.',
  status: 'placed',
  placedAt: '2026-11-21T15:04:05.000Z',
  updatedAt: '2026-11-21T15:04:05.000Z',
};
const APPROVED = {
  ...PLACED,
  ...{ status: 'approved', approvedAt: '2026-11-22T09:30:00.000Z' },
  updatedAt: '2026-11-22T09:30:00.000Z',
};

const NO_SUCH_ORDER = new Missing('order_not_found', 'order');
const NOT_AVAILABLE = petNotAvailable(15n, 'pending').message;
const CLOSED = invalidTransition(3n, 'completed', 'cancelled').message;

/** Returns an order as a caller may see it: the personal fields need the scope `write`. */
function orderValue(order: Order, caller: Caller) {
  return withPersonal(seenByAnybody(order), order, caller);
}

/** What the change log has of an order. Ids are numbers if it was read from JSON. */
type PublicOrder = Readonly<
  Record<'id' | 'petId', bigint | number> & Record<'status' | 'placedAt' | 'updatedAt', string>
>;

/** Returns the fields of an order that the change log has. */
export function publicOrder(order: LoggedOrder): PublicOrder {
  const { id, petId, status, placedAt, updatedAt } = order;
  return { id, petId, status, placedAt: timeText(placedAt), updatedAt: timeText(updatedAt) };
}

/** An order as a key without the scope `write` sees it: with the times of the steps that it has taken. */
type SeenOrder = PublicOrder & Readonly<Partial<Record<StepTime, string | undefined>>>;

function seenByAnybody(order: Order): SeenOrder {
  return {
    ...publicOrder(order),
    approvedAt: timeTextIfGiven(order.approvedAt),
    completedAt: timeTextIfGiven(order.completedAt),
    cancelledAt: timeTextIfGiven(order.cancelledAt),
    returnedAt: timeTextIfGiven(order.returnedAt),
  };
}

/** Adds the personal fields that the order has now, to what may have been stored earlier. */
function withPersonal(seen: SeenOrder, order: Order | undefined, caller: Caller) {
  const { id, petId, status, placedAt, updatedAt, returnedAt, ...steps } = seen;
  const { adopter, contact, note, returnReason, answers } =
    (mayUse(caller, 'write') ? order : undefined) ?? {};
  return {
    ...{ id, petId, adopter, contact, note, status, placedAt, ...steps, updatedAt },
    ...{ returnedAt, returnReason, answers: answers && JSON.parse(answers) },
  };
}

/** Personal fields are searched only for those who see them. */
function searchOf(q: string, caller: Caller): OrderSearch {
  const words = foldName(q).split(/\s+/u).filter(Boolean);
  return { words, withPersonal: mayUse(caller, 'write') };
}

/** The result of placing an order. */
export function placedResult(order: Order, caller: Caller, baseUrl: string): Result {
  return {
    value: orderValue(order, caller),
    // Personal fields are stored only with the order, so that they can be erased.
    stored: seenByAnybody(order),
    headers: { location: `${baseUrl}/store/orders/${order.id}` },
  };
}

export const restoreOrder: Restore = async (text, { caller }, { storage }) => {
  // The service assigned these ids, so a `number` represents them exactly.
  const stored: SeenOrder = JSON.parse(text);
  const order = await storage.orders.find(BigInt(stored.id));
  return withPersonal(stored, order, caller);
};

const common = { stability: 'experimental', tag: 'Orders' } as const;
const onOrder = {
  ...common,
  path: '/store/orders/{orderId}',
  pathParameters: z.object({ orderId: int64InPath('Id of the order.') }),
  missing: NO_SUCH_ORDER,
} as const;

export const orderOperations = operationsNamed({
  listOrders: defineOperation({
    ...common,
    method: 'GET',
    path: '/store/orders',
    access: 'read',
    hideTryItPanel: true,
    summary: 'List orders',
    description:
      'Lists adoptions, the oldest first. Follow the Link header for more pages. With `q`, `from` or `to`, a page can have few items, or none, while more follow.',
    queryParameters: z.object({
      limit: limitInQuery,
      status: wordsInQuery(ORDER_STATUSES, 'Only orders with these statuses.', 'OrderStatus'),
      petId: int64InQuery('Only orders for this animal.'),
      sort: oneOf(ORDER_SORTS).optional().meta({
        description: 'By time of placing: `oldest` first, which is the default, or `newest`.',
      }),
      q: searchInQuery(
        'Only orders with each of these words, or parts of them, in adopter, contact or the name of the animal, ignoring case and accents. Adopter and contact count only for keys with the scope `write`.',
        'Alvarez',
      ),
      step: STATUS.optional().meta({
        description:
          'The step that `from` and `to` are about: `placed`, which is the default, or a later one.',
      }),
      from: timeInQuery(
        'Only orders that took the step at this time or later',
        '2026-11-22T00:00:00Z',
      ),
      to: timeInQuery('Only orders that took the step before this time', '2026-11-23T00:00:00Z'),
      cursor: cursorInQuery,
    }),
    success: lists('A page of orders.', pageOf(orderSchema, 'Orders', 'Adoptions, sorted by id.'), [
      PLACED,
    ]),
    async handle({ query, caller }, { storage, baseUrl }) {
      const { limit: _, cursor: __, q, ...wanted } = query;
      const { status, petId, sort, step, from, to } = wanted;
      if (from !== undefined && to !== undefined && from >= to) {
        throw new Failure('invalid_parameter', 'from must be before to.');
      }
      const search = q === undefined ? undefined : searchOf(q, caller);
      const times = { from: timeTextIfGiven(from), to: timeTextIfGiven(to) };
      const filters = {
        status: status?.toString(),
        petId: petId?.toString(),
        sort,
        q,
        step,
        ...times,
      };
      const address = { baseUrl, path: '/store/orders', filters, query };
      const list = listPage({ ...address, defaultSort: 'oldest' });
      const page = await storage.orders.list({ ...wanted, search }, list.request);
      return list.result(page, (order) => orderValue(order, caller));
    },
  }),
  placeOrder: defineOperation({
    ...common,
    method: 'POST',
    path: '/store/orders',
    access: 'adopt',
    summary: 'Place an order',
    description:
      'Starts the adoption of an available animal, which becomes pending. A second order for the same animal is refused.',
    body: takes('The adoption to place.', newOrderSchema, {
      petId: 15n,
      adopter: PLACED.adopter,
      contact: PLACED.contact,
      note: PLACED.note,
    }),
    success: creates('Order placed.', orderSchema, PLACED),
    failures: { pet_not_found: petNotFound(15n).message, conflict: NOT_AVAILABLE },
    async handle({ body, stamp, caller }, { storage, baseUrl }) {
      const order = await storage.orders.place(body, stamp);
      return placedResult(order, caller, baseUrl);
    },
    restore: restoreOrder,
  }),
  getOrder: defineOperation({
    ...onOrder,
    method: 'GET',
    access: 'read',
    summary: 'Get an order',
    description: 'Returns a single order by id.',
    success: shows('The requested order.', orderSchema, PLACED),
    handle: ({ path, caller }, { storage }) =>
      showing(NO_SUCH_ORDER, storage.orders.find(path.orderId), (order) =>
        orderValue(order, caller),
      ),
  }),
  updateOrder: defineOperation({
    ...onOrder,
    method: 'PATCH',
    access: 'write',
    summary: 'Update an order',
    description:
      'Changes the status of an order, or its personal fields while it is open (JSON merge patch, RFC 7396). The animal becomes sold when the order is completed, and available when it is cancelled. Sending the current status changes nothing. `null` erases a personal field, even in a closed order.',
    body: changes('The members to change.', orderChangeSchema, { status: 'approved' }),
    success: shows('The changed order.', orderSchema, APPROVED),
    failures: { conflict: CLOSED },
    handle({ path, body, stamp, ifMatch, caller }, { storage }) {
      const view = (order: Order) => orderValue(order, caller);
      // The client may have read the order with a key that cannot see the personal fields.
      const condition = requireMatch(ifMatch, view, seenByAnybody);
      const updated = storage.orders.update(path.orderId, body, stamp, condition);
      return showing(NO_SUCH_ORDER, updated, view);
    },
  }),
  returnOrder: defineOperation({
    ...onOrder,
    method: 'POST',
    path: '/store/orders/{orderId}/return',
    access: 'write',
    summary: 'Take an animal back',
    description:
      'Notes that the animal of a completed order came back. A new stay of the type `return` begins; the animal is available and not published. Once for each order.',
    body: takes('When and why it came back.', orderReturnSchema, {
      reason: 'An allergy in the family.',
    }),
    success: shows('The returned order.', orderSchema, {
      ...{ ...PLACED, status: 'completed', updatedAt: '2026-12-02T10:00:00.000Z' },
      ...{ returnedAt: '2026-12-02T10:00:00.000Z', returnReason: 'An allergy in the family.' },
    }),
    failures: { conflict: 'Order 3 is placed: only a completed one can be returned, once.' },
    async handle({ path, body, stamp, caller }, { storage }) {
      const order = NO_SUCH_ORDER.orThrow(
        await storage.stays.returnOrder(path.orderId, body, stamp),
      );
      return { value: orderValue(order, caller), stored: seenByAnybody(order) };
    },
    restore: restoreOrder,
  }),
});
