import { Webhook as Verifier } from 'standardwebhooks';
import type { Arrival } from '../webhooks/failing-receiver.ts';

/** A webhook of a run. */
export interface Endpoint {
  readonly id: number;
  readonly secret: string;
  /** The path at the receiver, which no other webhook has. */
  readonly path: string;
  readonly types: readonly string[] | null;
}

/** An event as the interface lists it. */
export interface StoredEvent {
  readonly id: number;
  readonly type: string;
  readonly data: { readonly id: number };
}

/**
 * Checks what arrived against the log: that the signatures are valid, that every body is its event,
 * that duplicates are equal, and that an event arrives only after the earlier ones of its record were
 * accepted. Returns the duplicates, and what has not been accepted yet.
 */
export function checkArrivals(
  arrivals: readonly Arrival[],
  endpoints: readonly Endpoint[],
  events: readonly StoredEvent[],
): { readonly duplicates: number; readonly missing: readonly string[] } {
  const missing: string[] = [];
  let duplicates = 0;
  for (const endpoint of endpoints) {
    const own = arrivals.filter(({ path }) => path === endpoint.path);
    const wanted = events.filter(({ type }) => endpoint.types?.includes(type) ?? true);
    const attempts = Map.groupBy(own, ({ headers }) => String(headers['webhook-id']));
    const late = wanted.filter(({ id }) => attempts.get(`${id}`)?.some(isAccepted) !== true);
    missing.push(...late.map(({ id }) => `event ${id} at ${endpoint.path}`));
    checkBodies(attempts, endpoint, wanted);
    checkOrder(attempts, wanted);
    duplicates += own.length - attempts.size;
  }
  return { duplicates, missing };
}

type Attempts = ReadonlyMap<string, readonly Arrival[]>;

const isAccepted = ({ acceptedStep }: Arrival) => acceptedStep !== undefined;

function checkBodies(
  attempts: Attempts,
  { secret }: Endpoint,
  wanted: readonly StoredEvent[],
): void {
  const verifier = new Verifier(secret);
  const events = new Map(wanted.map((event) => [`${event.id}`, event]));
  for (const [id, all] of attempts) {
    const [first] = all;
    for (const { headers, body } of all) {
      // Every header is a single text, as no other kind is sent.
      const verified = verifier.verify(body, headers as Record<string, string>);
      if (!Bun.deepEquals(verified, events.get(id), true)) throw new Error(`${id} is ${body}`);
      if (body !== first?.body) throw new Error(`${id} came as ${first?.body} and as ${body}`);
    }
  }
}

function checkOrder(attempts: Attempts, wanted: readonly StoredEvent[]): void {
  const recordOf = ({ type, data }: StoredEvent) =>
    `${type.split('.')[0]} ${Reflect.get(data, 'stayId') ?? data.id}`;
  for (const [record, events] of Map.groupBy(wanted, recordOf)) {
    let earlier = -1;
    for (const { id } of events) {
      const all = attempts.get(`${id}`) ?? [];
      const first = all[0]?.step ?? Number.POSITIVE_INFINITY;
      if (first < earlier) throw new Error(`${id} of ${record} came before an earlier one`);
      earlier = Math.min(...all.map(({ acceptedStep = Number.POSITIVE_INFINITY }) => acceptedStep));
    }
  }
}
