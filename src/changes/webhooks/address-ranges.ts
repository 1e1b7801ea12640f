import { createNetworkList, familyOf } from '../../domain/network-list.ts';

/**
 * Addresses that are no host on the public internet: the IANA registries of special-purpose
 * addresses (RFC 6890), multicast (RFC 5771) and what clouds reserve. Those that the registry calls
 * globally reachable are here too if no receiver can have one.
 */
const SPECIAL_IPV4 = createNetworkList([
  '0.0.0.0/8', // this network, RFC 791
  '10.0.0.0/8', // private, RFC 1918
  '100.64.0.0/10', // between a provider and its customers, RFC 6598
  '127.0.0.0/8', // loopback, RFC 1122
  '168.63.129.16', // Azure's platform, reachable from every virtual machine
  '169.254.0.0/16', // link-local, with the metadata services of clouds, RFC 3927
  '172.16.0.0/12', // private, RFC 1918
  '192.0.0.0/24', // protocol assignments, RFC 6890
  '192.0.2.0/24', // documentation, RFC 5737
  '192.31.196.0/24', // AS112, RFC 7535
  '192.52.193.0/24', // AMT, RFC 7450
  '192.88.99.0/24', // 6to4 relays, RFC 7526
  '192.168.0.0/16', // private, RFC 1918
  '192.175.48.0/24', // AS112, RFC 7534
  '198.18.0.0/15', // benchmarking, RFC 2544
  '198.51.100.0/24', // documentation, RFC 5737
  '203.0.113.0/24', // documentation, RFC 5737
  '224.0.0.0/4', // multicast, RFC 5771
  '240.0.0.0/4', // reserved and broadcast, RFC 1112 and RFC 919
]);

/**
 * The only IPv6 addresses that are assigned to hosts (RFC 4291). Outside of it are loopback,
 * unspecified, IPv4-mapped, IPv4-compatible and translated addresses, NAT64 (64:ff9b::/96 and
 * 64:ff9b:1::/48), discard-only, segment routing, unique local, link-local, site-local and multicast.
 */
const GLOBAL_UNICAST_IPV6 = createNetworkList(['2000::/3']);

const SPECIAL_IPV6 = createNetworkList([
  '2001::/23', // protocol assignments with Teredo, benchmarking and ORCHID, RFC 2928
  '2001:db8::/32', // documentation, RFC 3849
  '2002::/16', // 6to4, which contains an IPv4 address, RFC 3056
  '2620:4f:8000::/48', // AS112, RFC 7534
  '3fff::/20', // documentation, RFC 9637
]);

/** True for an address that a host on the public internet can have. */
export function isPublicAddress(address: string): boolean {
  const family = familyOf(address);
  // A zone belongs to a link of this machine.
  if (family === undefined || address.includes('%')) return false;
  if (family === 'ipv4') return !SPECIAL_IPV4.includes(address);
  return GLOBAL_UNICAST_IPV6.includes(address) && !SPECIAL_IPV6.includes(address);
}
