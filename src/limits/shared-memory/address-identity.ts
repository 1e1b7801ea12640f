import { isIPv4 } from 'node:net';

/** The group of an IPv6 network, as `addressGroup` in http/client-address.ts writes it. */
const NETWORK = /^([0-9a-f]{1,4}):([0-9a-f]{1,4}):([0-9a-f]{1,4}):([0-9a-f]{1,4})::\/64$/;
/**
 * Networks from which no request comes: 0::/16 is reserved, and ff00::/8 is for many receivers
 * (RFC 4291). They leave room for everything that is no IPv6 network in use.
 */
const IPV4 = 1n << 32n;
const NO_NETWORK = 2n << 32n;
const NO_ADDRESS = 0xffn << 56n;
const HASH_BITS = 56;

/**
 * Returns 64 bits that identify a group of addresses, never 0. Exact for every IPv4 address and
 * IPv6 network; other texts, which no socket reports, are identified by a keyed hash.
 */
export function addressIdentity(group: string, seed: bigint): bigint {
  if (isIPv4(group)) {
    const parts = group.split('.').map(Number);
    return IPV4 | BigInt(parts.reduce((bits, part) => bits * 256 + part, 0));
  }
  const network = NETWORK.exec(group);
  if (network !== null) {
    const [, ...parts] = network;
    return BigInt(`0x${parts.map((part) => part.padStart(4, '0')).join('')}`) || NO_NETWORK;
  }
  return NO_ADDRESS | BigInt.asUintN(HASH_BITS, Bun.hash.wyhash(group, seed));
}
