import type { Random } from '../e2e/crash/random.ts';
import { randomBody, randomBytes } from './bodies.ts';
import {
  AWAIT_RESPONSES,
  all,
  atMost,
  bytesOf,
  type Expected,
  type ExpectedResponse,
  type Input,
  type Step,
  send,
} from './input.ts';
import { mutate, splice } from './mutate.ts';
import { requestWith, type ValidRequest, validRequests } from './requests.ts';
import { smugglingInputs } from './smuggling.ts';

/** The ingredients of inputs. */
export interface Ingredients {
  /** A key with every scope. */
  readonly key: string;
  /** The name of an animal that must never be created. */
  readonly smuggledName: string;
}

type Generator = (random: Random, ingredients: Ingredients) => Input;

const JSON_BODY = 'Content-Type: application/json';
const PIPELINED_MAX = 16;
const UNRESERVED = 'abcdefghijklmnopqrstuvwxyz0123456789-._~/&=+,;:@!$()*';

function oneValid(random: Random, { key }: Ingredients): ValidRequest {
  const all = validRequests(key);
  const found = random.one(all);
  if (found === undefined) throw new Error('there are no valid requests');
  return found;
}

/** Sent at once, or in pieces with short pauses between them. */
function inPieces(bytes: Uint8Array, random: Random): Step[] {
  const steps: Step[] = [];
  const pieces = random.below(4) === 0 ? 1 + random.below(5) : 1;
  for (let i = 0; i < pieces; i++) {
    const from = Math.floor((bytes.length * i) / pieces);
    steps.push(send(bytes.subarray(from, Math.floor((bytes.length * (i + 1)) / pieces))));
    if (i < pieces - 1) steps.push({ do: 'pause', ms: 1 + random.below(5) });
  }
  return steps;
}

/** Accepts any valid response. Our side ends at once, after a silence, or by a reset. */
function withAnyResponse(kind: string, bytes: Uint8Array, random: Random): Input {
  const steps = inPieces(bytes, random);
  const end = random.below(20);
  if (end === 0) steps.push({ do: 'reset' });
  else if (end < 10) steps.push(AWAIT_RESPONSES);
  return { kind, steps, expected: 'valid' };
}

/** Requires this response. */
function withResponse(
  kind: string,
  bytes: Uint8Array,
  response: ExpectedResponse,
  random: Random,
): Input {
  return { kind, steps: [...inPieces(bytes, random), AWAIT_RESPONSES], expected: all(response) };
}

function mutated(random: Random, ingredients: Ingredients): Input {
  const bytes = mutate(bytesOf(oneValid(random, ingredients).text), random);
  return withAnyResponse('mutated', bytes, random);
}

/** A fault in one place only: the target, the value of one header, or the body. */
function altered(random: Random, ingredients: Ingredients): Input {
  const { text } = oneValid(random, ingredients);
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const [method = '', target = '', version = ''] = line.split(' ');
  const fault = (part: string) => mutate(bytesOf(part), random).toString('latin1');
  const body = rest.join('\r\n\r\n');
  if (body !== '' && !text.includes('chunked') && random.below(2) === 0) {
    const others = fields.filter((field) => !/^(?:Content-Length|Host):/.test(field));
    return withAnyResponse(
      'altered body',
      bytesOf(requestWith(`${method} ${target}`, others, fault(body))),
      random,
    );
  }
  const place = random.below(fields.length + 1) - 1;
  const inLine = (part: string) => fault(part).replaceAll(/\p{Cc}/gu, '');
  const [name, value] = (fields[place] ?? '').split(/: (.*)/s);
  fields[place] = `${name}: ${inLine(value ?? '')}`;
  const first = place < 0 ? `${method} ${inLine(target).replaceAll(' ', '')} ${version}` : line;
  const bytes = bytesOf(`${[first, ...fields].join('\r\n')}\r\n\r\n${body}`);
  return withAnyResponse('altered line', bytes, random);
}

function spliced(random: Random, ingredients: Ingredients): Input {
  const [first, second] = [oneValid(random, ingredients), oneValid(random, ingredients)];
  const bytes = splice(bytesOf(first.text), bytesOf(second.text), random);
  return withAnyResponse('spliced', bytes, random);
}

/**
 * Pipelined valid requests: each gets its own response, in order, until the runtime ends the
 * connection after a slow one.
 */
function pipelined(random: Random, ingredients: Ingredients): Input {
  const count = 2 + random.below(PIPELINED_MAX - 1);
  const chosen = Array.from({ length: count }, () => oneValid(random, ingredients));
  const named = chosen.map(({ text, response }, i) => {
    const requestId = `fuzz-${i}-${random.below(1_000_000)}`;
    const others = text.replace(/\r\nX-Request-Id: [^\r]*/, '');
    const withId = others.replace('\r\n', `\r\nX-Request-Id: ${requestId}\r\n`);
    return { text: withId, response: { ...response, requestId } };
  });
  const bytes = bytesOf(named.map(({ text }) => text).join(''));
  const steps = [...inPieces(bytes, random), AWAIT_RESPONSES];
  const isQuick = chosen.every((request) => request.isQuick);
  const expect = isQuick ? all : atMost;
  return {
    kind: 'pipelined, random',
    steps,
    expected: expect(...named.map(({ response }) => response)),
  };
}

function body(random: Random, { key }: Ingredients): Input {
  const headers = [`Authorization: Bearer ${key}`, JSON_BODY];
  const line = random.one(['POST /v1/pets', 'POST /v1/categories', 'POST /v1/store/orders']) ?? '';
  const text = requestWith(line, headers, randomBody(random));
  const statuses = [201, 400, 404, 409, 413];
  return withResponse('body', bytesOf(text), { statuses }, random);
}

function randomText(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.one([...UNRESERVED]) ?? '').join('');
}

/** Part of a target, well or badly encoded; nothing that ends the request line. */
function targetPart(random: Random): string {
  switch (random.below(6)) {
    case 0:
      return `%${random.below(128).toString(16).padStart(2, '0')}`;
    case 1:
      return random.one(['%', '%4', '%zz', '%ff', '%c0%80', '%ed%a0%80', ...UNRESERVED]) ?? '';
    case 2:
      return encodeURIComponent(String.fromCodePoint(0xe000 + random.below(0x1000)));
    case 3:
      return random.one(['..', '//', '\\', '#', '?', '[', '|', '"', '<', "'", '{petId}']) ?? '';
    default:
      return randomText(random, 1 + random.below(12));
  }
}

function target(random: Random, { key }: Ingredients): Input {
  const start = random.one(['/', '/v1/pets?', '/v1/pets/', '/v1/', '/docs/', 'http://a/v1/pets?']);
  const names = ['', 'limit=', 'cursor=', 'id=', 'name=', 'categoryId=', 'status='];
  const parts = Array.from({ length: random.below(30) }, () => targetPart(random));
  const more = random.below(30) === 0 ? randomText(random, random.below(9_000)) : '';
  const line = `GET ${start}${random.one(names)}${parts.join('')}${more}`;
  const bytes = bytesOf(requestWith(line, [`Authorization: Bearer ${key}`]));
  return withAnyResponse('target', bytes, random);
}

const FIELD_NAMES = [
  ...['Host', 'Authorization', 'X-Request-Id', 'X-Forwarded-For', 'If-None-Match', 'If-Match'],
  ...['Idempotency-Key', 'Origin', 'Accept-Encoding', 'Content-Type', 'Content-Encoding', 'Range'],
  ...['Cookie', 'Connection', 'TE', 'Accept', 'Forwarded', 'X-HTTP-Method-Override', 'Date', 'Via'],
] as const;

function fieldValue(random: Random): string {
  const long = random.below(20) === 0 ? 6_000 : 60;
  const count = random.below(long);
  const kind = random.below(40);
  if (kind < 20) return randomText(random, count);
  // Any bytes valid in a header; rarely, any bytes except line ends.
  const bytes = randomBytes(random, count);
  return bytes.replaceAll(kind === 20 ? /[\r\n]/g : /\p{Cc}/gu, ' ');
}

function fields(random: Random, { key }: Ingredients): Input {
  const some = Array.from(
    { length: random.below(random.below(10) === 0 ? 400 : 12) },
    () => `${random.one(FIELD_NAMES)}: ${fieldValue(random)}`,
  );
  const line = random.one(['GET /v1/pets/7', 'POST /v1/pets', 'OPTIONS /v1/pets', 'GET /docs']);
  const auth = random.below(2) === 0 ? [`Authorization: Bearer ${key}`] : [];
  const text = requestWith(line ?? '', [...auth, ...some], '{"name":"Rex","categoryId":1}');
  return withAnyResponse('header fields', bytesOf(text), random);
}

/** A random valid chunked body. */
function chunks(random: Random, { key }: Ingredients): Input {
  const text = `{"name":"Rex","categoryId":${random.below(100)}}${' '.repeat(random.below(40_000))}`;
  let framed = '';
  for (let at = 0; at < text.length; ) {
    const size = Math.min(text.length - at, 1 + random.below(random.below(3) === 0 ? 20_000 : 40));
    const digits = random.below(2) === 0 ? size.toString(16) : size.toString(16).toUpperCase();
    const extension = random.one(['', '', ';a', ';a=b', ';a="b;c"']);
    framed += `${digits.padStart(random.below(6), '0')}${extension}\r\n`;
    framed += `${text.slice(at, at + size)}\r\n`;
    at += size;
  }
  const headers = [`Authorization: Bearer ${key}`, JSON_BODY, 'Transfer-Encoding: chunked'];
  const bytes = bytesOf(`${requestWith('POST /v1/pets', headers)}${framed}0\r\n\r\n`);
  return withResponse('chunks', bytes, { statuses: [201] }, random);
}

function smuggled(random: Random, { key, smuggledName }: Ingredients): Input {
  const input = random.one(smugglingInputs(key, smuggledName));
  if (input === undefined) throw new Error('there are no smuggling pairs');
  return { ...input, kind: 'smuggling, random' };
}

function noise(random: Random): Input {
  return withAnyResponse('noise', bytesOf(randomBytes(random, random.below(2_000))), random);
}

/** Repeated entries are drawn more often. */
const GENERATORS: readonly Generator[] = [
  ...[
    mutated,
    mutated,
    mutated,
    mutated,
    altered,
    altered,
    altered,
    altered,
    altered,
    altered,
    spliced,
  ],
  ...[pipelined, body, body, body, body, target, target, fields, fields, chunks, smuggled, noise],
];

/** A random input. */
export function randomInput(random: Random, ingredients: Ingredients): Input {
  return (random.one(GENERATORS) ?? mutated)(random, ingredients);
}

/** Longest pause between the pieces of a slow sender, in milliseconds. */
const SLOW_BYTES_MS = 400;

/** A sender that is slow, or stalls: the server responds or closes the connection. */
export function slowInput(random: Random, ingredients: Ingredients): Input {
  const { text, response } = oneValid(random, ingredients);
  if (random.below(2) === 0) {
    const from = random.below(text.length);
    const steps = [send(text.slice(0, from)), { do: 'await-close' } as const];
    return plainSteps('stalled', steps, 'valid');
  }
  const steps: Step[] = [];
  const pieces = 2 + random.below(20);
  for (let i = 0; i < pieces; i++) {
    const part = (n: number) => Math.floor((text.length * n) / pieces);
    steps.push(
      { do: 'pause', ms: random.below(SLOW_BYTES_MS) },
      send(text.slice(part(i), part(i + 1))),
    );
  }
  // A slow body may exceed its timeout.
  const statuses = [...response.statuses, 400];
  return plainSteps('slow', [...steps, AWAIT_RESPONSES], atMost({ ...response, statuses }));
}

function plainSteps(kind: string, steps: readonly Step[], expected: Expected): Input {
  return { kind, steps, expected };
}
