import { FAILURE_STATUS } from '../../src/domain/failure.ts';
import type { Expected, ExpectedAnswer } from './input.ts';

/** A response as it was on the wire. */
export interface WireResponse {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The bytes received on a connection, and how it ended. */
export interface Received {
  readonly bytes: Buffer;
  /** `open` if the server had not closed it within our timeout. */
  readonly end: 'closed' | 'reset' | 'open';
  /** Whether everything was sent that was to be sent. */
  readonly sentAll: boolean;
}

/** Invalid bytes on the wire; the message names the problem. */
export class WireProblem extends Error {}

const HEAD_END = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.1 ([1-5][0-9]{2}) [\x20-\x7e]*$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\x7e\x80-\xff]*)$/;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** The statuses that the runtime gives by itself, without a body. */
const RUNTIME_STATUSES = [400, 413, 431, 501, 505];
/** What the kernel takes at once, whoever reads; it is more where memory is plenty. */
const SOCKET_BUFFER_BYTES = 65_536;
const SUCCESSES = [200, 201, 204, 304];

/** The facts known about responses before they are read. */
export interface Reading {
  /** The place of each answer to a HEAD request, or whether any may be one. */
  readonly bodyless: (index: number) => boolean | 'perhaps';
  /** Whether the request asked for a 100. */
  readonly continues: boolean;
  /** Whether the last one may be cut off, as by a reset; it is left out then. */
  readonly mayBeCut: boolean;
  /**
   * Whether that goes for one that does not fit into the buffer of a socket: the runtime ends the
   * connection at once, when we end our side of it or send another request meanwhile.
   */
  readonly longMayBeCut: boolean;
}

/** Parses all responses of a connection strictly by RFC 9112. Throws `WireProblem`. */
export function readResponses(bytes: Buffer, reading: Reading): WireResponse[] {
  const responses: WireResponse[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const head = readHead(rest);
    if (head === undefined) {
      if (reading.mayBeCut) break;
      throw new WireProblem(`the connection ended in the middle of a head: ${shown(rest)}`);
    }
    const { status, headers, length: headLength } = head;
    if (status === 100) {
      if (!reading.continues) throw new WireProblem('a 100 that nobody asked for');
      rest = rest.subarray(headLength);
      continue;
    }
    const length = bodyLength(status, headers);
    const present = isBodyPresent(rest.subarray(headLength), reading.bodyless(responses.length));
    const whole = headLength + (present ? length : 0);
    if (whole > rest.length) {
      if (reading.mayBeCut || (reading.longMayBeCut && length > SOCKET_BUFFER_BYTES)) break;
      throw new WireProblem(`a body of ${rest.length - headLength} bytes in place of ${length}`);
    }
    responses.push({ status, headers, body: rest.subarray(headLength, whole) });
    rest = rest.subarray(whole);
  }
  return responses;
}

/** Whether these bytes are as many whole answers as are expected. */
export function hasAll(bytes: Buffer, expected: readonly ExpectedAnswer[]): boolean {
  const bodyless = (i: number) => expected[i]?.bodyless === true;
  try {
    const responses = readResponses(bytes, {
      bodyless,
      continues: true,
      mayBeCut: true,
      longMayBeCut: true,
    });
    return responses.length >= expected.length;
  } catch {
    // What is wrong is told by whoever judges.
    return true;
  }
}

/** Whether a body follows a head. It may be the answer to a HEAD request that nobody knows of. */
function isBodyPresent(after: Buffer, bodyless: boolean | 'perhaps'): boolean {
  if (bodyless !== 'perhaps') return !bodyless;
  return after.length > 0 && !after.toString('latin1', 0, 9).startsWith('HTTP/1.1 ');
}

function readHead(bytes: Buffer) {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = STATUS_LINE.exec(statusLine)?.[1];
  if (status === undefined) throw new WireProblem(`no status line: ${shown(bytes)}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = FIELD.exec(line) ?? [];
    if (name === '') throw new WireProblem(`no header field: ${JSON.stringify(line)}`);
    const key = name.toLowerCase();
    if (headers.has(key)) throw new WireProblem(`${name} is given twice`);
    headers.set(key, value);
  }
  return { status: Number(status), headers, length: end + HEAD_END.length };
}

function bodyLength(status: number, headers: ReadonlyMap<string, string>): number {
  if (headers.has('transfer-encoding')) throw new WireProblem('an answer in chunks');
  const declared = headers.get('content-length');
  if (status === 204 || status === 304) return 0;
  if (declared === undefined && RUNTIME_STATUSES.includes(status)) return 0;
  if (declared === undefined || !/^(?:0|[1-9][0-9]*)$/.test(declared)) {
    throw new WireProblem(`a ${status} of the length ${declared}`);
  }
  return Number(declared);
}

/** Says what is wrong with an answer, or undefined. `last` is whether none follows it. */
export function responseProblem(response: WireResponse, last: boolean): string | undefined {
  const { status, headers, body } = response;
  const requestId = headers.get('x-request-id');
  if (requestId === undefined) {
    const isRuntimes = RUNTIME_STATUSES.includes(status) && body.length === 0;
    if (!isRuntimes) return `a ${status} that is neither ours nor the runtime's`;
    return last ? undefined : `the connection went on after the runtime's own ${status}`;
  }
  if (!REQUEST_ID.test(requestId)) return `the request id ${JSON.stringify(requestId)}`;
  if (status === 500) return 'a 500';
  if (headers.get('x-content-type-options') !== 'nosniff') return `a ${status} without nosniff`;
  if (status < 400) return SUCCESSES.includes(status) ? undefined : `a ${status}`;
  if (status === 503 && !headers.has('retry-after')) return 'a 503 without Retry-After';
  if (headers.get('content-type') !== 'application/json') return `a ${status} that is no JSON`;
  return body.length === 0 ? undefined : errorProblem(status, body);
}

function errorProblem(status: number, body: Buffer): string | undefined {
  let error: unknown;
  try {
    error = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return `a ${status} with a body that is no JSON: ${shown(body)}`;
  }
  if (typeof error !== 'object' || error === null) return `a ${status} with no Error`;
  const { code, message, status: said, ...others } = error as Record<string, unknown>;
  const known = typeof code === 'string' && FAILURE_STATUS[code as keyof typeof FAILURE_STATUS];
  const isError = known === status && said === status && typeof message === 'string';
  if (!isError || Object.keys(others).length > 0) return `a ${status} with ${shown(body)}`;
  if (/\p{Cc}/u.test(message)) return `control characters in a message: ${shown(body)}`;
  return undefined;
}

/** Says in what the answers are not what was expected, or undefined. */
export function expectationProblem(
  responses: readonly WireResponse[],
  expected: Expected,
): string | undefined {
  const statuses = responses.map(({ status }) => status);
  if (expected === 'valid') return undefined;
  if (expected === 'refusal') {
    const refused = responses.length === 0 || (responses.length === 1 && (statuses[0] ?? 0) >= 400);
    return refused ? undefined : `not refused: ${statuses.join(', ')}`;
  }
  const isWrong = ({ status, headers }: WireResponse, wanted: ExpectedAnswer | undefined) =>
    !wanted?.statuses.includes(status) ||
    (wanted.requestId !== undefined && headers.get('x-request-id') !== wanted.requestId);
  const tooFew = expected.all && responses.length < expected.answers.length;
  const wrong = tooFew || responses.some((response, i) => isWrong(response, expected.answers[i]));
  const wanted = expected.answers.map((one) => one.statuses.join(' or ')).join(', ');
  return wrong ? `${statuses.join(', ') || 'no answer'} in place of ${wanted}` : undefined;
}

function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1', 0, 120));
}
