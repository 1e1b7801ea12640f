import type {
  AttemptedDelivery,
  AttemptRecord,
  NewDelivery,
} from '../../../src/domain/delivery.ts';
import type { Storage } from '../../../src/domain/storage.ts';

/** When test deliveries were made. */
export const DELIVERED_AT = 1_800_000_001_000;

/** The state of a delivery, with what does not change any more once it was added. */
export interface DeliveryState
  extends AttemptedDelivery,
    Pick<NewDelivery, 'type' | 'record' | 'createdAt'> {}

/** Adds a webhook for all events, and returns its id. */
export async function addWebhook({ webhooks }: Storage): Promise<bigint> {
  const webhook = { url: 'https://a.example', types: null, description: null, createdAt: 1 };
  return (await webhooks.create(webhook, () => 'secret')).id;
}

/** A delivery that arrived at the first attempt. */
export function delivered(eventId: bigint, parts: Partial<DeliveryState> = {}): DeliveryState {
  return {
    eventId,
    type: 'pet.created',
    record: `pet ${eventId}`,
    createdAt: DELIVERED_AT,
    status: 'delivered',
    attempts: 1,
    responseStatus: 200,
    responseBody: null,
    error: null,
    nextAttemptAt: null,
    deliveredAt: DELIVERED_AT,
    ...parts,
  };
}

/** A delivery that is still to be made. */
export function pending(eventId: bigint, parts: Partial<DeliveryState> = {}): DeliveryState {
  const untried = { attempts: 0, responseStatus: null, deliveredAt: null };
  return delivered(eventId, { status: 'pending', ...untried, ...parts });
}

/** An attempt at an endpoint of which nothing has failed. */
export function attemptOf(
  webhookId: bigint,
  delivery: AttemptedDelivery,
  parts: Partial<AttemptRecord> = {},
): AttemptRecord {
  const healthy = { lastSuccessAt: null, failingSince: null };
  return { webhookId, delivery, ...healthy, disable: undefined, hasRecovered: false, ...parts };
}

/** Takes the lease. Returns the new term. */
export async function newTerm({ deliveries }: Storage): Promise<bigint> {
  const { lease } = await deliveries.snapshot(0);
  const term = await deliveries.takeLease(lease);
  if (term === undefined) throw new Error('the lease was taken by somebody else');
  return term;
}

/** Stores deliveries in a new term, up to a position. Returns the term. */
export async function stored(
  storage: Storage,
  webhookId: bigint,
  states: readonly DeliveryState[],
  position = states.reduce((last, { eventId }) => (eventId > last ? eventId : last), 0n),
): Promise<bigint> {
  const { deliveries } = storage;
  const term = await newTerm(storage);
  await deliveries.add(
    term,
    states.map(({ eventId, type, record, createdAt }) => ({
      webhookId,
      eventId,
      type,
      record,
      createdAt,
    })),
  );
  const attempted = states.filter(({ attempts }) => attempts > 0);
  await deliveries.record(
    term,
    attempted.map((state) => attemptOf(webhookId, state)),
  );
  await deliveries.savePositions(term, [{ webhookId, position }]);
  return term;
}
