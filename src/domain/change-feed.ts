import type { ChangeLog, ChangePage, ChangeRequest } from './change-log.ts';

/** How a wait for changes ended, and those that were refused because too many requests waited. */
export const WAIT_ENDS = [
  'changes',
  'time',
  'disconnected',
  'shutdown',
  'failed',
  'refused',
] as const;
export type WaitEnd = (typeof WAIT_ENDS)[number];

/** The waits for changes, for the metrics. */
export interface WaitReport {
  /** Requests that wait now. */
  readonly waiting: number;
  /** Waits that ended, by how. */
  readonly ended: Readonly<Record<WaitEnd, number>>;
}

/** A reader that has seen every change up to `after`. */
export interface WaitRequest extends ChangeRequest {
  readonly after: bigint;
}

/** Who waits. */
export interface WaitingClient {
  /** The first key of the caller's family: a successor shares its places. */
  readonly keyId: bigint;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** The change log for readers that follow it. */
export interface ChangeFeed extends Pick<ChangeLog, 'list' | 'newest'> {
  /**
   * Returns the changes after `after` as soon as there are any. Returns none when `waitMs` are over,
   * when the client goes away or when the service stops. Throws `service_unavailable` if too many
   * requests wait, of this key or in all, or if the log still cannot be read when the time is over.
   *
   * Waits for the same changes get the same page.
   */
  next(request: WaitRequest, waitMs: number, client: WaitingClient): Promise<ChangePage>;
  /** Returns the page as `write` writes it: once for all waits that get the same page. */
  textOf(page: ChangePage, write: (page: ChangePage) => string): string;
}
