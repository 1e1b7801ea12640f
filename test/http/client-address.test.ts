import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { addressGroup } from '../../src/http/client-address.ts';
import { createTrustedProxies } from '../../src/http/trusted-proxies.ts';

describe('the client behind proxies', () => {
  const proxies = createTrustedProxies(['10.0.0.0/8', 'fd00::/8', '192.0.2.1']);

  test.each([
    ['no header', '198.51.100.1', null, '198.51.100.1'],
    ['a peer that is not trusted', '198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['one proxy', '10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['proxies in a row', '10.1.2.3', '203.0.113.9, 192.0.2.1, 10.9.9.9', '203.0.113.9'],
    ['a forged beginning', '10.1.2.3', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['an end that is no address', '10.1.2.3', '203.0.113.9, unknown', '10.1.2.3'],
    ['only proxies', '10.1.2.3', '10.4.5.6', '10.4.5.6'],
    ['an IPv4 address as IPv6', '::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['an IPv6 proxy', 'fd00::1', '2001:db8::5', '2001:db8::5'],
    ['a port', '10.1.2.3', '203.0.113.9:4711', '203.0.113.9'],
    ['brackets and a port', '10.1.2.3', '[2001:db8::5]:4711', '2001:db8::5'],
  ])('%s', (_, peer, forwardedFor, client) => {
    expect(proxies.clientOf(peer, forwardedFor)).toBe(client);
  });

  test.each(['10.0.0.0/33', 'fd00::/129', '10.0.0.0/', '10.0.0.0/8/8', 'shop.example', '10.0/8'])(
    'refuses %s as a network',
    (network) => {
      expect(() => createTrustedProxies([network])).toThrow(RangeError);
    },
  );
});

describe('the address that is charged', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['2001:db8:1::', '2001:db8:1:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:192.0.2.33', '1:2:3:4::/64'],
    ['', ''],
  ])('%s is charged as %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });

  test('is the same for all addresses of a /64, however they are written', () => {
    const group = fc.nat(0xffff).map((value) => value.toString(16));
    const eight = fc.tuple(group, group, group, group, group, group, group, group);
    fc.assert(
      fc.property(eight, (groups) => {
        const written = groups.join(':');
        const short = new URL(`http://[${written}]/`).hostname.slice(1, -1);
        const expected = `${groups.slice(0, 4).join(':')}::/64`;
        expect([addressGroup(written), addressGroup(short)]).toEqual([expected, expected]);
      }),
    );
  });
});
