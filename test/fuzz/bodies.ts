import type { Random } from '../e2e/crash/random.ts';

/** Largest body that the service accepts, in bytes. */
const BODY_BYTES_MAX = 65_536;

const NUMBERS = [
  ...['0', '-0', '1', '3.0', '3e0', '30e-1', '0.5', '9223372036854775807', '9223372036854775808'],
  ...['-9223372036854775808', '-9223372036854775809', '1e999999999', '0e999999999', '1e-999999999'],
  ...['01', '+1', '1.', '.5', '1e', '0x10', 'NaN', 'Infinity', '-', '9'.repeat(5_000)],
] as const;

const STRINGS = [
  ...['"Rex"', '""', '" "', '"\\u0000"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\x"', '"\\u12"', '"a'],
  ...['"\x01"', '"\xc3\xa9"', '"\xff"', '"\xed\xa0\x80"', '"\xf4\x90\x80\x80"', '"\\u202e"', "'a'"],
  ...[`"${'x'.repeat(255)}"`, `"${'x'.repeat(256)}"`, `"${'\\u0061'.repeat(5_000)}"`],
] as const;

const WORDS = ['null', 'true', 'false', 'nul', 'undefined', '"available"', '"gone"'] as const;
const KEYS = [
  ...[
    'name',
    'categoryId',
    'status',
    'id',
    'petId',
    'adopter',
    'contact',
    'note',
    '__proto__',
    'constructor',
    'toString',
  ],
  ...['', 'n\\u0061me', 'na\\u006de', '\\u0000', 'x'.repeat(300)],
] as const;
const BLANKS = ['', '', '', ' ', '\n', '\t', '\r\n', '\x0b', '\xef\xbb\xbf', '//x\n'] as const;
const DEPTHS = [10, 100, 1_000, 5_000, 10_000, 32_000] as const;

/** Text that is JSON, or nearly; one byte per character. */
export function randomBody(random: Random): string {
  switch (random.below(8)) {
    case 0:
      return deep(random);
    case 1:
      return manyMembers(random);
    case 2:
      return randomBytes(random, random.below(200));
    case 3:
      return `{"name":"${'x'.repeat(random.below(BODY_BYTES_MAX + 100))}","categoryId":1}`;
    case 4:
      return `{"name":"Rex","categoryId":${random.one(NUMBERS)}}`;
    case 5:
      return `{"name":${random.one(STRINGS)},"categoryId":1}`;
    default:
      return value(random, 4);
  }
}

function deep(random: Random): string {
  const depth = random.one(DEPTHS) ?? 10;
  const [open, close] = random.one([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ] as const) ?? ['[', ']'];
  return open.repeat(depth) + value(random, 0) + close.repeat(depth - random.below(2));
}

/** Thousands of keys: all different, all equal, or colliding in a simple hash. */
function manyMembers(random: Random): string {
  const keyOf = random.one([
    (i: number) => `k${i}`,
    () => 'name',
    (i: number) => [...i.toString(2)].map((bit) => (bit === '0' ? 'Aa' : 'BB')).join(''),
    (i: number) => String(i * 65_536),
    (i: number) => '\\u0061'.repeat((i % 9) + 1),
  ] as const);
  const count = random.below(4_000);
  const members = Array.from({ length: count }, (_, i) => `"${keyOf?.(i) ?? i}":1`);
  return `{${members.join(',')}}`;
}

function value(random: Random, depth: number): string {
  const blank = random.one(BLANKS) ?? '';
  const kind = random.below(depth > 0 ? 8 : 4);
  if (kind < 2) return blank + random.one(NUMBERS);
  if (kind === 2) return blank + random.one(STRINGS);
  if (kind === 3) return blank + random.one(WORDS);
  const items = Array.from({ length: random.below(6) }, () => value(random, depth - 1));
  const comma = random.below(20) === 0 ? ',,' : ',';
  if (kind === 4) return `${blank}[${items.join(comma)}]`;
  const members = items.map((item) => `"${random.one(KEYS)}"${blank}:${item}`);
  return `${blank}{${members.join(comma)}}`;
}

/** Any bytes, as Latin-1. */
export function randomBytes(random: Random, count: number): string {
  return String.fromCharCode(...Array.from({ length: count }, () => random.below(256)));
}
