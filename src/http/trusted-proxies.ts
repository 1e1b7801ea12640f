import { createNetworkList, familyOf } from '../domain/network-list.ts';

/**
 * Believes X-Forwarded-For and X-Forwarded-Proto only from the proxies in front of the service: anyone
 * can send them, and each invented address would get a fresh allowance. `Forwarded` (RFC 7239) is not
 * read, because two headers could contradict each other.
 */
export type TrustedProxies = ReturnType<typeof createTrustedProxies>;

/**
 * Creates the list from addresses and networks (`10.0.0.5`, `10.0.0.0/8`, `fd00::/8`). Throws a
 * RangeError that names every entry that is neither.
 */
export function createTrustedProxies(networks: readonly string[]) {
  const trusted = createNetworkList(networks);

  /**
   * Returns the address of the client behind the trusted proxies. Walks outwards from the service: a trusted hop's word
   * for the one before it is believed.
   */
  function clientOf(peer: string, forwardedFor: string | null): string {
    let client = plainAddress(peer);
    if (networks.length === 0 || forwardedFor === null) return client;
    for (const hop of forwardedFor.split(',').toReversed()) {
      if (!trusted.includes(client)) break;
      const address = plainAddress(hop.trim());
      if (familyOf(address) === undefined) break;
      client = address;
    }
    return client;
  }

  /** Returns whether the peer of a connection is a trusted proxy. */
  const isTrusted = (peer: string) => trusted.includes(plainAddress(peer));

  return { clientOf, isTrusted };
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Drops the zone, brackets and port, and turns an IPv4-mapped IPv6 address back into IPv4. */
function plainAddress(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1];
  const address = (bracketed ?? withPort ?? text).split('%')[0] ?? '';
  return MAPPED_IPV4.exec(address)?.[1] ?? address;
}
