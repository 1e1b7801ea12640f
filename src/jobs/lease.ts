import type { DeliveryStorage, Lease } from '../domain/delivery.ts';
import type { WaitTime } from '../events/watch.ts';

/** No heartbeat for this long: the leader is considered dead. */
export const DEAD_MS = 6_000;
/** A leader that could not renew its lease for this long stops: before `DEAD_MS`. */
const LOST_MS = 5_000;

/** The part of this process in the lease of the deployment. Only its own monotonic clock is read. */
export class OwnLease {
  readonly #storage: DeliveryStorage;
  readonly #time: Pick<WaitTime, 'now'>;
  #term: bigint | undefined;
  /** Before the last renewal that succeeded was sent. */
  #renewedAt = 0;
  /** The lease of another process, and since when it has not changed. */
  #seen: { readonly lease: Lease; readonly since: number } | undefined;

  constructor(storage: DeliveryStorage, time: Pick<WaitTime, 'now'>) {
    this.#storage = storage;
    this.#time = time;
  }

  /** The term in which this process is the leader; undefined while it must not deliver. */
  get term(): bigint | undefined {
    return this.#time.now() - this.#renewedAt < LOST_MS ? this.#term : undefined;
  }

  /** Renews the lease, or takes it if nobody has it or its leader is dead. */
  async renewOrTake(lease: Lease): Promise<void> {
    const now = this.#time.now();
    if (this.#term !== undefined) {
      if (!(await this.#storage.renewLease(this.#term))) this.#term = undefined;
    } else if (lease.heartbeat === 0n || this.#isDead(lease, now)) {
      this.#term = await this.#storage.takeLease(lease);
    }
    this.#renewedAt = now;
  }

  /** Gives the lease back, so that others need not wait. */
  async release(): Promise<void> {
    const term = this.#term;
    this.#term = undefined;
    if (term !== undefined) await this.#storage.releaseLease(term);
  }

  #isDead(lease: Lease, now: number): boolean {
    const { lease: last, since } = this.#seen ?? {};
    if (last?.term !== lease.term || last.heartbeat !== lease.heartbeat) {
      this.#seen = { lease, since: now };
      return false;
    }
    return since !== undefined && now - since >= DEAD_MS;
  }
}
