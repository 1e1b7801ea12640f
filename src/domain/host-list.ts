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
