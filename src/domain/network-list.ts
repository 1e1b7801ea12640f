import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** The family of an address; undefined for any other text. */
export function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? 'ipv4' : 'ipv6';
}

/** IPv4 addresses that are written as IPv6 (RFC 4291, 2.5.5.2). */
const MAPPED = new BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');

/** True for an IPv4-mapped IPv6 address such as `::ffff:10.0.0.1`, in any spelling. */
export function isMapped(address: string): boolean {
  return familyOf(address) === 'ipv6' && MAPPED.check(address, 'ipv6');
}

/**
 * Creates the list from addresses and networks (`10.0.0.5`, `10.0.0.0/8`, `fd00::/8`). Throws a
 * RangeError that names every entry that is neither.
 */
export function createNetworkList(networks: readonly string[]) {
  // One list for each family, because in Bun's a rule for ::/0 includes every IPv4 address too.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  const wrong = networks.filter((network) => !addTo(lists, network));
  if (wrong.length > 0) {
    const named = wrong.map((network) => `"${network}"`).join(' and ');
    const verb = wrong.length === 1 ? 'is' : 'are';
    throw new RangeError(`${named} ${verb} no IP address and no network like 10.0.0.0/8`);
  }
  return {
    /** Returns false for a text that is no address. */
    includes(address: string): boolean {
      const family = familyOf(address);
      return family !== undefined && lists[family].check(address, family);
    },
  };
}

/** Adds an address or network. Returns false if the text is neither. */
function addTo(lists: { readonly ipv4: BlockList; readonly ipv6: BlockList }, network: string) {
  const [address = '', prefix, ...rest] = network.split('/');
  const family = familyOf(address);
  if (family === undefined || rest.length > 0) return false;
  const list = isMapped(address) ? lists.ipv4 : lists[family];
  if (prefix === undefined) {
    list.addAddress(address, family);
    return true;
  }
  const bits = Number(prefix);
  if (!/^[0-9]{1,3}$/.test(prefix) || bits > (family === 'ipv4' ? 32 : 128)) return false;
  list.addSubnet(address, bits, family);
  return true;
}

/** Scheme, user and password, hosts, and the rest of an address. A password may contain an `@`. */
const ADDRESS = /^([a-z+]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/**
 * Returns one address for each host of an address such as `postgres://user@a:5432,b:5433/shop`, in their
 * order: URLs allow only one host.
 */
export function addressesOfHosts(address: string): readonly string[] {
  const [, start = '', hosts = address, rest = ''] = ADDRESS.exec(address) ?? [];
  return hosts.split(',').map((host) => `${start}${host}${rest}`);
}

/** Returns what is wrong with an address whose user or password cannot be decoded; undefined if nothing is. */
export function percentProblem(address: string): string | undefined {
  try {
    decodeURIComponent(address);
    return undefined;
  } catch {
    return 'must have every percent sign of the user and the password encoded as %25';
  }
}

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const HOST_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*\\.?$`, 'i');

/** Returns whether a text can be a host: an IP address or a name. In an address, IPv6 has brackets. */
export function isHost(text: string, brackets: '' | '[]' = ''): boolean {
  if (brackets === '[]' && text.startsWith('[')) return isIP(text.slice(1, -1)) === 6;
  if (text.includes(':')) return brackets === '' && isIP(text) === 6;
  return text.length <= 253 && HOST_NAME.test(text);
}

/** The hosts of an address, as sockets take them: without the brackets of IPv6. */
export function hostsOf(address: string): readonly string[] {
  return addressesOfHosts(address).flatMap((each) => {
    const host = URL.parse(each)?.hostname.replace(/^\[|\]$/g, '');
    return host ? [host] : [];
  });
}

/** A resolver that does not answer must not hold up a start. */
const RESOLVING_MS = 5_000;

/** Returns the IP address of a host; undefined if it does not resolve. */
export async function resolveHost(host: string): Promise<string | undefined> {
  if (isIP(host) !== 0) return host;
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, RESOLVING_MS, undefined);
  const found = lookup(host).then(
    ({ address }) => address,
    () => undefined,
  );
  return await Promise.race([found, late.promise]).finally(() => clearTimeout(timer));
}

/** Returns the hosts of an address that do not resolve. */
export async function unresolvedHosts(address: string): Promise<readonly string[]> {
  const hosts = hostsOf(address);
  const found = await Promise.all(hosts.map(resolveHost));
  return hosts.filter((_, i) => found[i] === undefined);
}
