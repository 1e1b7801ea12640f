import { type Clock, MINUTE_MS } from '../../domain/clock.ts';
import { addressGroup, type TrustedProxies } from '../../http/client-address.ts';

/** What strangers are told apart by. */
export interface ClientAddressParts {
  readonly proxies: TrustedProxies;
  readonly clock: Clock;
  /** The address of whoever opened the connection; asked for only where it matters. */
  peerOf(request: Request): string;
}

/** The addresses that requests without a valid key come from. */
export interface ClientAddresses {
  /** What such a request is charged to. */
  addressOf(request: Request): string;
  /** Notes that an address was refused, and will be until `resetsAt`. */
  noteRefused(address: string, resetsAt: number): void;
  /** Whether a request comes from an address that is known to be past its limit. */
  isPastLimit(request: Request): boolean;
}

/** The most addresses that are remembered as refused. Beyond, all are forgotten, and noted again. */
const REFUSED_MAX = 10_000;

/** Makes a memory of refused addresses, which asks nobody. */
export function createClientAddresses({
  proxies,
  clock,
  peerOf,
}: ClientAddressParts): ClientAddresses {
  const refused = new Map<string, number>();

  function addressOf(request: Request): string {
    return addressGroup(proxies.clientOf(peerOf(request), request.headers.get('x-forwarded-for')));
  }

  return {
    addressOf,
    noteRefused(address, resetsAt) {
      if (refused.size >= REFUSED_MAX) refused.clear();
      refused.set(address, resetsAt);
    },
    isPastLimit(request) {
      if (refused.size === 0) return false;
      const address = addressOf(request);
      const resetsAt = refused.get(address);
      if (resetsAt === undefined) return false;
      const left = resetsAt - clock.now();
      // A clock that was set back must not make the minute longer.
      if (left > 0 && left <= MINUTE_MS) return true;
      refused.delete(address);
      return false;
    },
  };
}
