import { createNetworkList, familyOf, isMapped } from '../domain/network-list.ts';
import { WEBHOOK_URL_MAX } from '../domain/webhook.ts';

/** The settings of the operator. */
export interface TargetSettings {
  /** Ports besides 443. */
  readonly webhookPorts: readonly number[];
  /** Networks that may be called although they are not public, with plain http and on any port. */
  readonly webhookAllow: readonly string[];
}

const DEFAULT_PORT = { 'https:': 443, 'http:': 80 } as const;
const HTTPS_PORT = DEFAULT_PORT['https:'];

/** Creates the rules for URLs and addresses that webhooks may call. Throws a RangeError for malformed networks. */
export function createTargetRules({ webhookPorts, webhookAllow }: TargetSettings) {
  const allowed = createNetworkList(webhookAllow);
  const ports = [HTTPS_PORT, ...webhookPorts];

  /** Returns the problem of a URL that is called outside of allowed networks. */
  function publicProblem(url: URL): string | undefined {
    if (url.protocol !== 'https:') return 'must use https';
    if (ports.includes(portOf(url))) return undefined;
    return `must use port ${ports.join(' or ')}`;
  }

  /**
   * Says why this address must not be called for a URL that has no problem of its own, as the end of a
   * sentence, or undefined.
   */
  function problemOfAddress(address: string, url: URL): string | undefined {
    // A mapped address goes to an IPv4 address, which has a spelling of its own.
    if (allowed.includes(address) && !isMapped(address)) return undefined;
    return publicProblem(url) ?? (isPublicAddress(address) ? undefined : NOT_PUBLIC);
  }

  /**
   * Says what is wrong with a URL as the end of a sentence ("must use https"), or undefined. Resolves
   * no name.
   */
  function problemOfUrl(text: string): string | undefined {
    const url = readUrl(text);
    if (typeof url === 'string') return url;
    const address = literalAddress(url);
    if (address !== undefined) return problemOfAddress(address, url);
    if (!NAME.test(url.hostname)) return 'must name a host by a valid name or address';
    // Only its addresses tell whether a name is in an allowed network.
    return webhookAllow.length === 0 ? publicProblem(url) : undefined;
  }

  return { problemOfUrl, problemOfAddress };
}

const NOT_PUBLIC = 'must name a host on the public internet';

/** RFC 1123 with underscores; at most 253 characters, 63 for each label. */
const NAME =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Characters that URL parsers drop, trim or read differently. */
const AMBIGUOUS = /[\p{Cc}\p{Cf}\s\\]/u;

/** Returns the parsed URL, or what is wrong with its form. */
function readUrl(text: string): URL | string {
  if (text.length > WEBHOOK_URL_MAX) return `must have at most ${WEBHOOK_URL_MAX} characters`;
  if (AMBIGUOUS.test(text)) return 'must not contain spaces, control characters or backslashes';
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null;
  if (url === null) return 'must be an absolute https URL';
  // Everything up to the first slash, question mark or number sign names user, host and port.
  const authority = text.slice(url.protocol.length + 2).split(/[/?#]/, 1)[0] ?? '';
  if (authority.includes('@')) return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not have a fragment';
  if (url.href.length > WEBHOOK_URL_MAX) return `must have at most ${WEBHOOK_URL_MAX} characters`;
  return url;
}

/** The address in a URL that names one; the parser has brought every spelling into one form. */
export function literalAddress({ hostname }: URL): string | undefined {
  const bracketed = /^\[(.*)\]$/.exec(hostname)?.[1];
  if (bracketed !== undefined) return bracketed;
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined;
}

/** The port of a URL, whether it is written or not. */
export function portOf({ protocol, port }: URL): number {
  return port === '' ? (protocol === 'http:' ? DEFAULT_PORT['http:'] : HTTPS_PORT) : Number(port);
}

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
