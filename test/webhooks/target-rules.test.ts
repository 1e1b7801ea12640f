import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createTargetRules, isPublicAddress } from '../../src/webhooks/target-rules.ts';
import { HOSTILE_NAMES, hostileTargets } from './hostile-targets.ts';

const PORT = 8443;
const rules = createTargetRules({ webhookPorts: [PORT], webhookAllow: [] });
/** Names need DNS; `localhost` does not, but is resolved in the same place. */
const needsName = ([, url]: readonly [string, string]) =>
  Object.keys(HOSTILE_NAMES).some((name) => url.includes(name)) ||
  /localhost:/i.test(url.normalize('NFKC'));

describe('a hostile URL', () => {
  const table = hostileTargets(PORT);

  test('is one of at least sixty', () => {
    expect(table.length).toBeGreaterThanOrEqual(60);
    expect(new Set(table.map(([, url]) => url)).size).toBe(table.length);
  });

  test.each(table.filter((target) => !needsName(target)))('is refused: %s (%j)', (_, url) => {
    expect(rules.problemOfUrl(url)).toMatch(/^must /);
  });

  test('gets a reason that says what to change', () => {
    const reason = (url: string) => rules.problemOfUrl(url);
    expect(reason('http://shop.example/')).toBe('must use https');
    expect(reason('https://shop.example:22/')).toBe('must use port 443 or 8443');
    expect(reason('https://a:b@shop.example/')).toBe('must not contain a user name or password');
    expect(reason('https://shop.example/#x')).toBe('must not have a fragment');
    expect(reason('https://10.0.0.1/')).toBe('must name a host on the public internet');
    expect(reason('https://shop.example./')).toBe('must name a host by a valid name or address');
    expect(reason('hooks')).toBe('must be an absolute https URL');
    expect(reason('https://shop.example/ x')).toMatch(/^must not contain spaces/);
    expect(reason(`https://shop.example/${'x'.repeat(2_048)}`)).toMatch(/^must have at most 2048/);
  });
});

describe('a URL on the public internet', () => {
  test.each([
    'https://shop.example',
    'https://shop.example/hooks?token=a@b',
    'https://shop.example:443/',
    'https://shop.example:8443/',
    'HTTPS://Shop.Example/',
    'https://bücher.example/',
    'https://xn--bcher-kva.example/',
    'https://a_b.shop.example/',
    'https://1.1.1.1/',
    'https://[2606:4700:4700::1111]/',
    `https://shop.example/${'x'.repeat(2_000)}`,
  ])('is accepted: %s', (url) => {
    expect(rules.problemOfUrl(url)).toBeUndefined();
  });
});

describe('an allowed network', () => {
  const allowing = createTargetRules({
    webhookPorts: [],
    webhookAllow: ['10.1.0.0/16', 'fd00::1'],
  });
  const problem = (url: string) => allowing.problemOfUrl(url);

  test('may be called with plain http and on any port, by its addresses', () => {
    expect(problem('http://10.1.2.3/')).toBeUndefined();
    expect(problem('http://10.1.2.3:22/')).toBeUndefined();
    expect(problem('http://[fd00::1]:3000/')).toBeUndefined();
    expect(problem('http://167838211:80/')).toBeUndefined();
  });

  test('opens nothing else', () => {
    expect(problem('https://10.2.0.1/')).toMatch(/public internet/);
    expect(problem('https://[fd00::2]/')).toMatch(/public internet/);
    expect(problem('https://[::ffff:10.1.2.3]/')).toMatch(/public internet/);
    expect(problem('http://1.1.1.1/')).toBe('must use https');
    expect(problem('https://1.1.1.1:8443/')).toBe('must use port 443');
    expect(problem('ftp://10.1.2.3/')).toMatch(/^must be an absolute https URL/);
    expect(problem('http://user@10.1.2.3/')).toMatch(/user name/);
  });

  test('decides for a name by each of its addresses', () => {
    const plain = new URL('http://shop.example:3000/');
    expect(problem(plain.href)).toBeUndefined();
    expect(allowing.problemOfAddress('10.1.2.3', plain)).toBeUndefined();
    // Another address of the same name.
    expect(allowing.problemOfAddress('1.1.1.1', plain)).toBe('must use https');
    const secure = new URL('https://shop.example/');
    expect(allowing.problemOfAddress('1.1.1.1', secure)).toBeUndefined();
    expect(allowing.problemOfAddress('10.2.0.1', secure)).toMatch(/public internet/);
  });

  test('of one family says nothing about the other', () => {
    const all6 = createTargetRules({ webhookPorts: [], webhookAllow: ['::/0'] });
    expect(all6.problemOfUrl('http://127.0.0.1/')).toBe('must use https');
    expect(all6.problemOfUrl('https://127.0.0.1/')).toMatch(/public internet/);
    expect(all6.problemOfUrl('https://[::ffff:127.0.0.1]/')).toMatch(/public internet/);
    const all4 = createTargetRules({ webhookPorts: [], webhookAllow: ['0.0.0.0/0'] });
    expect(all4.problemOfUrl('https://[::1]/')).toMatch(/public internet/);
    expect(all4.problemOfUrl('https://[::ffff:127.0.0.1]/')).toMatch(/public internet/);
  });
});

/** Refused ranges. */
const RANGES_IPV4 = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 ' +
  '224.0.0.0/4 240.0.0.0/4'
).split(' ');

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

const insideIpv4 = fc
  .tuple(fc.constantFrom(...RANGES_IPV4), fc.nat(2 ** 32 - 1))
  .map(([range, random]) => {
    const [first = '', bits = ''] = range.split('/');
    return numberOf(first) + (random % 2 ** (32 - Number(bits)));
  });

/** Each part in a base of its own, and the last ones perhaps joined into one number. */
const spelled = (value: number) =>
  fc
    .tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
    )
    .map(([count, bases]) => {
      const parts = Array.from({ length: count - 1 }, (_, at) => (value >>> (24 - 8 * at)) & 255);
      const rest = value % 2 ** (8 * (5 - count));
      return [...parts, rest].map((part, at) => inBase(part, bases[at] ?? 10)).join('.');
    });

function inBase(value: number, base: number): string {
  if (base === 16) return `0x${value.toString(16)}`;
  return base === 8 ? `0${value.toString(8)}` : `${value}`;
}

describe('every spelling of an address', () => {
  test('in a refused IPv4 range is refused', () => {
    const spellings = insideIpv4.chain(spelled);
    fc.assert(
      fc.property(spellings, (host) => {
        expect(rules.problemOfUrl(`https://${host}/`)).toMatch(/public internet/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('gets one verdict, for IPv4', () => {
    const pair = fc.nat(2 ** 32 - 1).chain((value) => fc.tuple(spelled(value), spelled(value)));
    fc.assert(
      fc.property(pair, ([one, other]) => {
        const verdict = rules.problemOfUrl(`https://${one}/`);
        expect(rules.problemOfUrl(`https://${other}/`)).toBe(verdict);
      }),
      { numRuns: 2_000 },
    );
  });

  test('of any IPv4 address as IPv6 is refused', () => {
    const prefix = fc.constantFrom(
      '::',
      '::ffff:',
      '::ffff:0:',
      '64:ff9b::',
      '64:ff9b:1::',
      '0:0:0:0:0:ffff:',
    );
    fc.assert(
      fc.property(prefix, fc.ipV4(), (before, address) => {
        expect(isPublicAddress(before + address)).toBe(false);
        expect(rules.problemOfUrl(`https://[${before}${address}]/`)).toMatch(/public internet/);
      }),
    );
  });

  test('gets one verdict, for IPv6', () => {
    const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), {
      minLength: 8,
      maxLength: 8,
    });
    fc.assert(
      fc.property(groups, (list) => {
        const short = list.map((group) => group.toString(16)).join(':');
        const long = list
          .map((group) => group.toString(16).padStart(4, '0'))
          .join(':')
          .toUpperCase();
        const compressed = new URL(`https://[${short}]/`).hostname.slice(1, -1);
        const verdicts = [short, long, compressed].map(isPublicAddress);
        expect(new Set(verdicts).size).toBe(1);
        // Nothing outside of 2000::/3 is a host on the internet.
        if (((list[0] ?? 0) & 0xe000) !== 0x2000) expect(verdicts).not.toContain(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
