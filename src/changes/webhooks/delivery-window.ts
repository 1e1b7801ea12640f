import type { LoggedChange } from '../../domain/change-log.ts';
import {
  type DeliveryState,
  EVERY_RECORD,
  type HeldWebhook,
  type PendingDelivery,
  recordOf,
} from '../../domain/delivery.ts';

/** Events that are not stored yet. Bounds the repetitions after a crash. */
const UNSTORED_MAX = 100;
/** Events in all. When there are more, the others stay in the change log until there is room. */
const ENTRIES_MAX = 1_000;

/** An event of an endpoint that is still to be delivered. */
export interface WindowEntry {
  pending: PendingDelivery;
  /** The event, unless it was found in the log of deliveries. */
  readonly change: LoggedChange | undefined;
  phase: 'waiting' | 'sending' | 'recording';
  /** The log of deliveries has it. */
  isStored: boolean;
}

/**
 * The events of one endpoint between the change log and the log of deliveries. Knows which may be
 * sent: the events of one record one after the other, and an event about all records after all
 * earlier ones and before all later ones.
 */
export class DeliveryWindow {
  #entries: Map<bigint, WindowEntry>;
  /** Events after `readTo` that need not be sent. */
  readonly #settled: Set<bigint>;
  #readTo: bigint;
  #unstored = 0;
  /** Events finished while their stored states are read, which may show them as pending still. */
  #finished: Set<bigint> | undefined;

  /** Creates the window from what was stored. */
  constructor({ pending, settled, position }: HeldWebhook) {
    this.#entries = new Map(pending.map((each) => [each.eventId, storedEntry(each)]));
    this.#settled = new Set(settled);
    this.#readTo = position;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Everything up to this id has been read from the change log. */
  get readTo(): bigint {
    return this.#readTo;
  }

  /** Returns when the oldest event was made; undefined if there is none. */
  oldestAt(): number | undefined {
    for (const { pending } of this.#entries.values()) return pending.createdAt;
    return undefined;
  }

  /** Returns whether there is room for more events of the change log. */
  hasRoom(): boolean {
    return this.#unstored < UNSTORED_MAX && this.#entries.size < ENTRIES_MAX;
  }

  /** Adds events of the change log that are wanted, and moves on past the others. */
  add(changes: readonly LoggedChange[], wants: (change: LoggedChange) => boolean): void {
    for (const change of changes) {
      if (change.id <= this.#readTo) continue;
      this.#readTo = change.id;
      const isKnown = this.#settled.delete(change.id) || this.#entries.has(change.id);
      if (isKnown || !wants(change)) continue;
      this.#entries.set(change.id, newEntry(change));
      this.#unstored++;
    }
  }

  /** Moves on to an id, over events that have been removed from the change log. */
  skipTo(id: bigint): void {
    if (id > this.#readTo) this.#readTo = id;
  }

  /** Notes that the pending deliveries for the next `merge` are about to be read. */
  beginLoad(): void {
    this.#finished = new Set();
  }

  /** Takes over pending deliveries that others have made due. */
  merge(pending: readonly PendingDelivery[]): void {
    for (const each of pending) {
      if (this.#finished?.has(each.eventId)) continue;
      const known = this.#entries.get(each.eventId);
      if (known === undefined) this.#entries.set(each.eventId, storedEntry(each));
      else if (known.phase === 'waiting' && dueAt(each) < dueAt(known.pending)) {
        known.pending = { ...known.pending, nextAttemptAt: each.nextAttemptAt };
      }
    }
    this.#finished = undefined;
    this.#entries = new Map([...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns what may be sent at `now`, at most `most`. */
  due(now: number, most: number): readonly WindowEntry[] {
    const found: WindowEntry[] = [];
    for (const [entry, blocker] of this.#withBlockers()) {
      const isFree = blocker === undefined && entry.phase === 'waiting';
      if (isFree && dueAt(entry.pending) <= now) found.push(entry);
      if (found.length >= most) break;
    }
    return found;
  }

  /** Returns events that must be stored, as they wait behind one that waits for its next attempt. */
  unstoredBehind(now: number): readonly WindowEntry[] {
    if (this.#unstored === 0) return [];
    const stuck = new Set<WindowEntry>();
    for (const [entry, blocker] of this.#withBlockers()) {
      if (entry.phase !== 'waiting') continue;
      const isBehind = blocker !== undefined && stuck.has(blocker);
      if (isBehind || dueAt(entry.pending) > now) stuck.add(entry);
    }
    return [...stuck].filter(({ isStored }) => !isStored);
  }

  /** Makes every waiting event due. */
  hurry(): void {
    for (const entry of this.#entries.values()) {
      if (entry.phase === 'waiting') entry.pending = { ...entry.pending, nextAttemptAt: null };
    }
  }

  /** Returns the position to store together with these events. */
  positionWith(storing: ReadonlySet<WindowEntry>): bigint {
    if (this.#unstored === 0) return this.#readTo;
    for (const [id, entry] of this.#entries) {
      if (!entry.isStored && !storing.has(entry)) return id - 1n;
    }
    return this.#readTo;
  }

  /** Notes that the log of deliveries has an event now, in this state. */
  stored(entry: WindowEntry, delivery: DeliveryState): void {
    if (!entry.isStored) this.#unstored--;
    entry.isStored = true;
    if (delivery.status === 'pending') {
      entry.phase = 'waiting';
      entry.pending = delivery;
    } else {
      this.#entries.delete(delivery.eventId);
      this.#finished?.add(delivery.eventId);
    }
  }

  /** Every event in order, with the earlier one that it has to wait for, if any. */
  *#withBlockers(): Iterable<readonly [entry: WindowEntry, blocker: WindowEntry | undefined]> {
    const firstOf = new Map<string, WindowEntry>();
    let first: WindowEntry | undefined;
    for (const entry of this.#entries.values()) {
      const { record } = entry.pending;
      const own = record === EVERY_RECORD ? first : firstOf.get(record);
      yield [entry, own ?? firstOf.get(EVERY_RECORD)];
      first ??= entry;
      if (!firstOf.has(record)) firstOf.set(record, entry);
    }
  }
}

/** Without a time an event is due as soon as those before it are done. */
function dueAt({ nextAttemptAt }: PendingDelivery): number {
  return nextAttemptAt ?? 0;
}

function storedEntry(pending: PendingDelivery): WindowEntry {
  return { pending, change: undefined, phase: 'waiting', isStored: true };
}

function newEntry(change: LoggedChange): WindowEntry {
  const { id: eventId, type, at: createdAt } = change;
  const pending = { eventId, type, record: recordOf(change), createdAt };
  return {
    pending: { ...pending, attempts: 0, nextAttemptAt: null },
    ...{ change, phase: 'waiting', isStored: false },
  };
}
