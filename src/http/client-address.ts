import { isIP } from 'node:net';
import { type Clock, MINUTE_MS } from '../domain/clock.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** The 16-bit groups of a /64, which is what a provider gives one customer. */
const GROUPS_COUNTED = 4;
const GROUPS = 8;

/**
 * Returns the address that limits are counted by: an IPv4 address, or the /64 of an IPv6 address,
 * because a client with one address of a /64 has all of them.
 */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  // A dotted ending takes the place of two groups, which are never among the first four.
  const dotted = (last.at(-1) ?? first.at(-1) ?? '').includes('.') ? 1 : 0;
  const zeros = tail === undefined ? 0 : GROUPS - first.length - last.length - dotted;
  const groups = [...first, ...new Array<string>(Math.max(0, zeros)).fill('0'), ...last];
  const counted = groups.slice(0, GROUPS_COUNTED).map((group) => Number.parseInt(group, 16));
  return `${counted.map((group) => group.toString(16)).join(':')}::/64`;
}

/** The dependencies of client addresses. */
export interface ClientAddressParts {
  readonly proxies: TrustedProxies;
  readonly clock: Clock;
  /** Returns the address of the peer of the connection. Called only when it is needed. */
  peerOf(request: Request): string;
}

/** The addresses that requests without a valid key come from. */
export type ClientAddresses = ReturnType<typeof createClientAddresses>;

/** Bound of the refused addresses that are remembered. When it is reached, all are forgotten. */
const REFUSED_MAX = 10_000;

/** Creates client addresses that remember refused ones, so that checking one costs no query. */
export function createClientAddresses({ proxies, clock, peerOf }: ClientAddressParts) {
  const refused = new Map<string, number>();

  /** Returns the address to charge the request to. */
  function addressOf(request: Request): string {
    return addressGroup(proxies.clientOf(peerOf(request), request.headers.get('x-forwarded-for')));
  }

  return {
    addressOf,
    /** Remembers that an address is refused until `resetsAt`. */
    noteRefused(address: string, resetsAt: number): void {
      if (refused.size >= REFUSED_MAX) refused.clear();
      refused.set(address, resetsAt);
    },
    /** Returns whether a request comes from an address that is known to be over its limit. */
    isPastLimit(request: Request): boolean {
      if (refused.size === 0) return false;
      const address = addressOf(request);
      const resetsAt = refused.get(address);
      if (resetsAt === undefined) return false;
      const left = resetsAt - clock.now();
      // A clock that is set back must not extend the minute.
      if (left > 0 && left <= MINUTE_MS) return true;
      refused.delete(address);
      return false;
    },
  };
}
