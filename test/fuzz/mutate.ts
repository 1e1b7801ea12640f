import type { Random } from '../e2e/crash/random.ts';
import { bytesOf } from './input.ts';

/** Texts that often break parsers. */
const TOKENS = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    '\t',
    ':',
    ',',
    ';',
    '"',
    '%',
    '%00',
    '%ff',
    '%c0%80',
    '#',
    '?',
  ],
  ...[
    '\r\n\r\n',
    '\r\n ',
    'Content-Length: 5\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Host: b\r\n',
  ],
  ...[
    'Expect: 100-continue\r\n',
    'Upgrade: h2c\r\n',
    'Connection: close\r\n',
    'HTTP/1.0',
    'HTTP/2',
  ],
  ...['-1', '0', '18446744073709551616', '1e999999999', '9223372036854775808', '0x1f', '\x1b[2J'],
  ...[
    '\xff',
    '\xc3',
    '\xed\xa0\x80',
    '\xef\xbb\xbf',
    '{',
    '}',
    '[',
    ']',
    '\\u0000',
    '\\ud800',
    '//',
  ],
  ...[
    '../',
    '*',
    'null',
    '__proto__',
    'constructor',
    'HEAD ',
    'POST ',
    '0\r\n\r\n',
    'ffffffff\r\n',
  ],
] as const;

const MUTATIONS_MAX = 8;
/** One mutation doubles or removes at most this many bytes. */
const RANGE_MAX = 64;

type Mutation = (bytes: Buffer, at: number, random: Random) => Buffer;

function replaced(bytes: Buffer, from: number, to: number, by: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(to)]);
}

const MUTATIONS: readonly Mutation[] = [
  function flipBit(bytes, at, random) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
    return flipped;
  },
  function setByte(bytes, at, random) {
    return replaced(bytes, at, at + 1, Buffer.of(random.below(256)));
  },
  function insertToken(bytes, at, random) {
    return replaced(bytes, at, at, bytesOf(random.one(TOKENS) ?? ''));
  },
  function overwriteWithToken(bytes, at, random) {
    const token = bytesOf(random.one(TOKENS) ?? '');
    return replaced(bytes, at, at + token.length, token);
  },
  function removeRange(bytes, at, random) {
    return replaced(bytes, at, at + 1 + random.below(RANGE_MAX), Buffer.of());
  },
  function repeatRange(bytes, at, random) {
    return replaced(bytes, at, at, bytes.subarray(at, at + 1 + random.below(RANGE_MAX)));
  },
  function repeatByte(bytes, at, random) {
    const many = 1 << random.below(15);
    return replaced(bytes, at, at, Buffer.alloc(many, bytes[at] ?? 0));
  },
  function swapLines(bytes, at) {
    const lines = bytes.toString('latin1').split('\r\n');
    const target = at % lines.length;
    lines.push(...lines.splice(target, 1));
    return Buffer.from(lines.join('\r\n'), 'latin1');
  },
  function truncate(bytes, at) {
    return bytes.subarray(0, at);
  },
];

/** Bytes with 1 to 8 faults in them. */
export function mutate(bytes: Uint8Array, random: Random): Buffer {
  let mutated = Buffer.from(bytes);
  const count = 1 + random.below(MUTATIONS_MAX);
  for (let i = 0; i < count && mutated.length > 0; i++) {
    const mutation = random.one(MUTATIONS) ?? MUTATIONS[0];
    mutated = Buffer.from(mutation?.(mutated, random.below(mutated.length), random) ?? mutated);
  }
  return mutated;
}

/** The start of one input and the end of another. */
export function splice(first: Uint8Array, second: Uint8Array, random: Random): Buffer {
  const head = first.subarray(0, random.below(first.length + 1));
  return Buffer.concat([head, second.subarray(random.below(second.length + 1))]);
}
