import { type Clock, MINUTE_MS } from '../../domain/clock.ts';
import { addressGroup, type TrustedProxies } from '../../http/client-address.ts';

/** The dependencies of client addresses. */
export interface ClientAddressParts {
  readonly proxies: TrustedProxies;
  readonly clock: Clock;
  /** Returns the address of the peer of the connection. Called only when it is needed. */
  peerOf(request: Request): string;
}

/** The addresses that requests without a valid key come from. */
export interface ClientAddresses {
  /** Returns the address to charge the request to. */
  addressOf(request: Request): string;
  /** Remembers that an address is refused until `resetsAt`. */
  noteRefused(address: string, resetsAt: number): void;
  /** Returns whether a request comes from an address that is known to be over its limit. */
  isPastLimit(request: Request): boolean;
}

/** Bound of the refused addresses that are remembered. When it is reached, all are forgotten. */
const REFUSED_MAX = 10_000;

/** Creates client addresses that remember refused ones, so that checking one costs no query. */
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
      // A clock that is set back must not extend the minute.
      if (left > 0 && left <= MINUTE_MS) return true;
      refused.delete(address);
      return false;
    },
  };
}
