import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { decodeCursor } from '../../src/api/contract/list-page.ts';
import { readIdempotencyKey } from '../../src/api/pipeline/execute.ts';
import { requestIdOf } from '../../src/api/pipeline/request-context.ts';
import { authenticate } from '../../src/auth/authenticate.ts';
import { keyProblem, redactKeys } from '../../src/domain/api-key.ts';
import { durationFromText } from '../../src/domain/clock.ts';
import { Failure } from '../../src/domain/failure.ts';
import { int64FromJsonNumber, int64FromText } from '../../src/domain/int64.ts';
import { foldCase, nameProblem } from '../../src/domain/name.ts';
import { checkMediaType, jsonFromBytes } from '../../src/http/body.ts';
import { addressGroup } from '../../src/http/client-address.ts';
import { JsonProblem, parseJson } from '../../src/http/json.ts';
import { representationFor } from '../../src/http/representation.ts';
import { matches, matchesWeakly } from '../../src/http/response.ts';
import { readQuery, readTarget } from '../../src/http/target.ts';
import { createTrustedProxies } from '../../src/http/trusted-proxies.ts';
import { createCsvSource } from '../../src/import/csv-rows.ts';
import { ImportFailure } from '../../src/import/failure.ts';
import { createNdjsonSource } from '../../src/import/ndjson-rows.ts';
import { Rejection, type RowSource, type TextChunks } from '../../src/import/row-source.ts';
import { ConfigProblems, readConfig } from '../../src/settings/config.ts';
import { settings } from '../../src/settings/settings.ts';
import { databaseAddressProblem, redactPassword } from '../../src/storage/address.ts';
import { processorTime } from '../support/process-clock.ts';

const KEYS = {
  recent: () => undefined,
  find: async () => undefined,
  mayExist: async () => false,
  flush: async () => {},
};
const PROXIES = createTrustedProxies(['0.0.0.0/0', '::/0']);
/** HEAD only reads the last four bytes of this body. */
const GZIPPED = {
  status: 200,
  body: new Blob(['size']),
  headers: { 'content-encoding': 'gzip' },
};

/** Headers as the runtime passes them on. */
function headers(name: string, value: string): Headers {
  return new Headers({ [name]: value.replaceAll(/[^\x20-\x7e]/g, ' ') });
}

/** Every parser of text from outside. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => parseJson(text),
  'json of a body': (text) => jsonFromBytes(Buffer.from(text)),
  'media type': (text) => checkMediaType(headers('content-type', text), ['application/json']),
  target: (text) => readTarget(`http://a/${text}`, text),
  'target without a URL': (text) => readTarget(text, null),
  query: (text) => {
    const { problem, query } = readTarget(`http://a/?${text}`.slice(0, 8_000), 'a');
    if (problem === undefined) readQuery(query);
  },
  cursor: (text) => decodeCursor(text, 'a list'),
  'idempotency key': (text) => readIdempotencyKey(text),
  'If-None-Match': (text) => matchesWeakly(text, '"a"'),
  'If-Match': (text) => matches(text, '"a"'),
  'Accept-Encoding': (text) => representationFor(GZIPPED, 'HEAD', headers('accept-encoding', text)),
  'X-Forwarded-For': (text) => addressGroup(PROXIES.clientOf('127.0.0.1', text)),
  'an address': (text) => addressGroup(PROXIES.clientOf(text, null)),
  Authorization: (text) => authenticate(text, 'production', KEYS),
  'bearer token': (text) => authenticate(`Bearer ${text}`, 'production', KEYS),
  'key text': (text) => keyProblem(text, 'production'),
  'request id': (text) => requestIdOf(text),
  'text for the log': (text) => redactKeys(text),
  'text with addresses': (text) => redactPassword(text),
  'database address': (text) => databaseAddressProblem(text),
  duration: (text) => durationFromText(text),
  'number in JSON': (text) => int64FromJsonNumber(text),
  'number in a text': (text) => int64FromText(text),
  name: (text) => nameProblem(text, 255),
  'folded name': (text) => foldCase(text),
  ...Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [
      `setting ${setting.flag}`,
      (text: string) => readConfig({ [name]: text }, {}),
    ]),
  ),
};
/** The only errors that a parser may throw. */
const REFUSALS = [Failure, JsonProblem, ConfigProblems];

/** Fails where a parser throws anything but a refusal. */
function parse(parser: (text: string) => unknown, text: string): void {
  try {
    parser(text);
  } catch (error) {
    if (!REFUSALS.some((refusal) => error instanceof refusal)) throw error;
  }
}

const PIECES = fc.constantFrom(
  ...['"', '\\', '{', '}', '[', ']', ',', ':', '://', '@', '%', '%2', '%41', '%ff', '&', '=', '+'],
  ...['?', '#', '/', '*', ' ', '\t', '\0', '\n', '\r\n', 'W/', ';', 'charset', 'q=0', 'gzip', '-'],
  ...[
    '0',
    '1',
    '9',
    '.',
    'e',
    'E',
    '::',
    'ffff',
    '127.0.0.1',
    'Bearer',
    'petstore_live_',
    '\ud800',
  ],
  ...['é', '\ufeff', '\u2028', '__proto__', 'null', 'password=', 'postgres', 'redis', 'sqlite'],
);
const ANY_TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(PIECES, { maxLength: 20 }).map((pieces) => pieces.join('')),
);

/** The largest text that a client can send: a body. */
const BYTES = 65_536;
/** A quadratic parser takes far longer for the texts below; a linear one, milliseconds. */
const LONGEST_MS = 1_000;

/** Shapes that make a backtracking parser slow. */
const WORST_SHAPES = [
  ...['"', '\\', '\\"', '{', '[', '{"a":', '[[],', '"a":1,', ',', ', ', ' ', '\t', ':', '0', '9'],
  ...[
    '%',
    '%41',
    '%C3%A9',
    '&',
    '=',
    'a=1&',
    '+',
    '/',
    '//',
    '/.',
    '-',
    '_',
    'a',
    'é',
    '\ud83d\ude00',
  ],
  ...[
    'W/"a",',
    '"a",',
    'gzip,',
    'gzip;',
    'gzip;q=0.',
    '; a=b',
    ';a="',
    '127.0.0.1,',
    '::1,',
    '[',
    '%en0',
  ],
  ...[
    '1.',
    '::ffff:',
    'bearer ',
    ', bearer',
    'petstore_live_',
    'postgres://a:',
    '://a:b@',
    '?password=',
  ],
  ...['://a', ':', 'ß', 'Σ', 'İ', '\u0300', ' \u00a0', '1e', '0.0', '1:', 's', 'http://a/'],
];

describe.each(Object.entries(PARSERS))('%s', (_, parser) => {
  test('only throws refusals', () => {
    fc.assert(
      fc.property(ANY_TEXT, (text) => parse(parser, text)),
      { numRuns: 1_500 },
    );
  });

  test('takes linear time for the longest texts', () => {
    for (const shape of WORST_SHAPES) {
      const many = shape.repeat(Math.ceil(BYTES / shape.length)).slice(0, BYTES);
      for (const text of [many, `"${many}"`, `bearer ${many}x`, `a=${many}\n`]) {
        const took = processorTime(() => parse(parser, text));
        if (took > LONGEST_MS) throw new Error(`${took} ms for ${JSON.stringify(shape)}`);
      }
    }
  }, 120_000);
});

describe('written text reads back', () => {
  test('an Idempotency-Key, quoted or bare', () => {
    const character = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string({ unit: character, minLength: 1, maxLength: 255 }), (key) => {
        const quoted = `"${key.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
        expect(readIdempotencyKey(quoted)).toBe(key);
        if (!/[" ]/.test(key)) expect(readIdempotencyKey(key)).toBe(key);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a duration', () => {
    const units = fc.constantFrom(['s', 1_000], ['m', 60_000], ['h', 3_600_000], ['d', 86_400_000]);
    fc.assert(
      fc.property(fc.nat(999_999), units, (count, [unit, length]) => {
        expect(durationFromText(`${count}${unit}`)).toBe(count * Number(length));
      }),
    );
  });

  test('a client address, behind any number of trusted proxies', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.array(fc.constant('10.0.0.1')), (client, proxies) => {
        const trusted = createTrustedProxies(['10.0.0.0/8']);
        const forwardedFor = [client, ...proxies].join(', ');
        expect(trusted.clientOf('10.0.0.2', forwardedFor)).toBe(client);
        expect(trusted.clientOf('192.0.2.1', forwardedFor)).toBe('192.0.2.1');
      }),
    );
  });
});

describe.each([
  ['CSV', createCsvSource],
  ['NDJSON', createNdjsonSource],
] as const)('the reader of %s', (_, createSource) => {
  /** Reads a file in pieces to its end, every column of every row. */
  async function read(pieces: readonly string[]): Promise<string[][]> {
    const chunks: TextChunks = async function* () {
      yield* pieces;
    };
    const source = createSource('a file', chunks);
    const rows: string[][] = [];
    for await (const row of source.rows()) rows.push(cellsOf(source, row));
    return rows;
  }

  function cellsOf(source: RowSource, row: { cell(column: string): string }): string[] {
    try {
      return [...source.columns.keys(), '__proto__'].map((column) => row.cell(column));
    } catch (error) {
      if (error instanceof Rejection) return [];
      throw error;
    }
  }

  const readOrFailure = (pieces: readonly string[]) =>
    read(pieces).catch((error) => {
      if (error instanceof ImportFailure) return error.message;
      throw error;
    });

  const piece = fc.constantFrom(
    ...['"', '""', ',', '\n', '\r\n', '\r', '{"a":"b"}', '{"a":', '1', 'a', 'é', ' ', '\0', '\\'],
  );

  test('only throws refusals, and reads the same in any pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        expect(await readOrFailure(pieces)).toEqual(await readOrFailure([pieces.join('')]));
      }),
      { numRuns: 1_000 },
    );
  });

  test('takes time in proportion to its longest rows', async () => {
    for (const shape of ['"', '""', ',', '"a",', '"\n"', '\\', '{', '[', '{"a":1},', '\r', ' ']) {
      const before = process.cpuUsage();
      await readOrFailure(['a\n', shape.repeat(BYTES), '\n', shape.repeat(BYTES)]);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000).toBeLessThan(5 * LONGEST_MS);
    }
  }, 120_000);
});
