import type { ChannelDisabledReason, ChannelKind } from '../../domain/channel.ts';
import type { ListedStatus } from '../../domain/listing-filter.ts';
import type { OrderStatus } from '../../domain/order.ts';
import { dateText } from '../../domain/profile.ts';
import type { DisabledReason } from '../../domain/webhook.ts';
import {
  daysBefore,
  LONG_CARE_DAYS,
  ORDER_WAIT_DAYS,
  RECENT_IMPORT_DAYS,
  WORK_COUNTED,
  WORK_SHOWN,
  type WorkGroup,
  type WorkList,
  type WorkStorage,
} from '../../domain/work.ts';
import { fieldsOf, json, number, numberOrNull, plain, type Value } from '../fields.ts';
import { methodsOf, type Sql, sql, type Transactions, type Work } from '../statements.ts';

/** Reads the first rows that meet a condition, each with their number. */
function groupOf<Item>(
  { columns, of }: { readonly columns: string; of(row: object): Item },
  from: Sql,
  order: string,
) {
  const counted = sql`SELECT count(*) FROM (SELECT 1 FROM ${from} LIMIT ${WORK_COUNTED}) AS counted`;
  const text = sql`SELECT ${columns}, (${counted}) AS total FROM ${from}
    ORDER BY ${order} LIMIT ${WORK_SHOWN}`;
  const rows = text.as((row: { readonly total: bigint }) => ({
    item: of(row),
    total: Number(row.total),
  }));

  return function* read(...values: Value[]): Work<WorkGroup<Item>> {
    const found = yield* rows.all(...values);
    return { count: found[0]?.total ?? 0, first: found.map(({ item }) => item) };
  };
}

const PET_ID = { petId: plain<bigint>(), petName: plain<string>() };
const PET_NAME = { petName: '(SELECT pets.name FROM pets WHERE pets.id = pet_id)' };

const waitingOrders = groupOf(
  fieldsOf(
    { id: plain<bigint>(), ...PET_ID, status: plain<OrderStatus>(), placedAt: number },
    PET_NAME,
  ),
  sql`orders WHERE status IN ('placed', 'approved') AND placed_at <= $1`,
  'placed_at, id',
);
const newEnquiries = groupOf(
  fieldsOf(
    {
      ...{ id: plain<bigint>(), petId: plain<bigint>(), petName: plain<string | null>() },
      receivedAt: number,
    },
    PET_NAME,
  ),
  sql`enquiries WHERE status = 'new' AND suspected = 0`,
  'id',
);
const longInCare = groupOf(
  fieldsOf({ ...PET_ID, since: plain<string>() }, PET_NAME),
  sql`listings WHERE since <= CAST($1 AS text)`,
  'since, pet_id',
);
const withoutPhoto = groupOf(
  fieldsOf({ ...PET_ID, status: plain<ListedStatus>() }, PET_NAME),
  sql`listings WHERE has_photo = 0`,
  'pet_id',
);
const endedHolds = groupOf(
  fieldsOf({ ...PET_ID, careUntil: plain<string>() }, PET_NAME),
  sql`animals WHERE state = 'here' AND care IN ('quarantine', 'medical', 'hold')
    AND care_until <= CAST($1 AS text)`,
  'care_until, pet_id',
);
const incompleteImports = groupOf(
  fieldsOf(
    {
      id: plain<bigint>(),
      endedAt: number,
      rejected: (cell: string) => json<{ rejected: number }>(cell).rejected,
    },
    { rejected: 'row_counts' },
  ),
  sql`imports WHERE ended_at > $1 AND dry_run = 0 AND rejected_rows <> '[]'`,
  'ended_at DESC, id DESC',
);
const failingWebhooks = groupOf(
  fieldsOf({
    id: plain<bigint>(),
    url: plain<string>(),
    failingSince: numberOrNull,
    disabledReason: plain<DisabledReason | null>(),
  }),
  sql`webhooks WHERE disabled_reason <> 'requested'
    OR (disabled_reason IS NULL AND failing_since IS NOT NULL)`,
  'id',
);

const stoppedChannels = groupOf(
  fieldsOf({
    id: plain<bigint>(),
    kind: plain<ChannelKind & string>(),
    problem: plain<string | null>(),
    disabledReason: plain<ChannelDisabledReason | null>(),
  }),
  sql`channels WHERE disabled_reason <> 'requested' OR (disabled_reason IS NULL AND failures > 0)`,
  'id',
);

function* list(at: number): Work<WorkList> {
  return {
    orders: yield* waitingOrders(daysBefore(at, ORDER_WAIT_DAYS)),
    enquiries: yield* newEnquiries(),
    longInCare: yield* longInCare(dateText(daysBefore(at, LONG_CARE_DAYS))),
    withoutPhoto: yield* withoutPhoto(),
    endedHolds: yield* endedHolds(dateText(at)),
    imports: yield* incompleteImports(daysBefore(at, RECENT_IMPORT_DAYS)),
    webhooks: yield* failingWebhooks(),
    channels: yield* stoppedChannels(),
  };
}

/** The work list. */
export function createWorkStorage(transactions: Transactions): WorkStorage {
  return methodsOf<WorkStorage>(transactions).reads({ list });
}
