import { FAILURE_STATUS } from '../../src/domain/failure.ts';
import type { Expected, ExpectedResponse } from './input.ts';

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
  /** False if the server closed before all bytes were sent. */
  readonly sentAll: boolean;
}

/** Invalid bytes on the wire; the message names the problem. */
export class WireProblem extends Error {}

const HEAD_END = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.1 ([1-5][0-9]{2}) [\x20-\x7e]*$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\x7e\x80-\xff]*)$/;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** Statuses that the runtime sends by itself, without a body. */
const RUNTIME_STATUSES = [400, 413, 431, 501, 505];
/** Bytes that the kernel buffers even if nobody reads; more on machines with much memory. */
const SOCKET_BUFFER_BYTES = 65_536;
const SUCCESSES = [200, 201, 204, 304];

/** The facts known about responses before they are read. */
export interface Reading {
  /** True if the response at this index has no body (HEAD); 'perhaps' if unknown. */
  readonly bodyless: (index: number) => boolean | 'perhaps';
  /** True if the request expects a 100. */
  readonly continues: boolean;
  /** True if the last response may be cut off, as by a reset; it is then left out. */
  readonly mayBeCut: boolean;
  /**
   * True if a response larger than the socket buffer may be cut off: the runtime ends the connection
   * at once when we end our side or send another request meanwhile.
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
      if (!reading.continues) throw new WireProblem('an unrequested 100');
      rest = rest.subarray(headLength);
      continue;
    }
    const length = bodyLength(status, headers);
    const present = isBodyPresent(rest.subarray(headLength), reading.bodyless(responses.length));
    const whole = headLength + (present ? length : 0);
    if (whole > rest.length) {
      if (reading.mayBeCut || (reading.longMayBeCut && length > SOCKET_BUFFER_BYTES)) break;
      throw new WireProblem(`a body of ${rest.length - headLength} bytes instead of ${length}`);
    }
    responses.push({ status, headers, body: rest.subarray(headLength, whole) });
    rest = rest.subarray(whole);
  }
  return responses;
}

/** True if these bytes contain as many complete responses as expected. */
export function hasAll(bytes: Buffer, expected: readonly ExpectedResponse[]): boolean {
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
    // The verdict reports the problem.
    return true;
  }
}

/** True if a body follows the head. If HEAD requests are possible, look at the bytes. */
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
    if (name === '') throw new WireProblem(`not a header field: ${JSON.stringify(line)}`);
    const key = name.toLowerCase();
    if (headers.has(key)) throw new WireProblem(`${name} is given twice`);
    headers.set(key, value);
  }
  return { status: Number(status), headers, length: end + HEAD_END.length };
}

function bodyLength(status: number, headers: ReadonlyMap<string, string>): number {
  if (headers.has('transfer-encoding')) throw new WireProblem('a chunked response');
  const declared = headers.get('content-length');
  if (status === 204 || status === 304) return 0;
  if (declared === undefined && RUNTIME_STATUSES.includes(status)) return 0;
  if (declared === undefined || !/^(?:0|[1-9][0-9]*)$/.test(declared)) {
    throw new WireProblem(`a ${status} with Content-Length ${declared}`);
  }
  return Number(declared);
}

/** The problem of one response, if any. `last`: no other response follows it. */
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
  if (headers.get('content-type') !== 'application/json') return `a ${status} that is not JSON`;
  return body.length === 0 ? undefined : errorProblem(status, body);
}

function errorProblem(status: number, body: Buffer): string | undefined {
  let error: unknown;
  try {
    error = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return `a ${status} with a body that is not JSON: ${shown(body)}`;
  }
  if (typeof error !== 'object' || error === null) return `a ${status} with no Error`;
  const { code, message, status: bodyStatus, ...others } = error as Record<string, unknown>;
  const known = typeof code === 'string' && FAILURE_STATUS[code as keyof typeof FAILURE_STATUS];
  const isError = known === status && bodyStatus === status && typeof message === 'string';
  if (!isError || Object.keys(others).length > 0) return `a ${status} with ${shown(body)}`;
  if (/\p{Cc}/u.test(message)) return `control characters in a message: ${shown(body)}`;
  return undefined;
}

/** The difference between the responses and the expected ones, if any. */
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
  const isWrong = ({ status, headers }: WireResponse, wanted: ExpectedResponse | undefined) =>
    !wanted?.statuses.includes(status) ||
    (wanted.requestId !== undefined && headers.get('x-request-id') !== wanted.requestId);
  const tooFew = expected.all && responses.length < expected.responses.length;
  const wrong = tooFew || responses.some((response, i) => isWrong(response, expected.responses[i]));
  const wanted = expected.responses.map((one) => one.statuses.join(' or ')).join(', ');
  return wrong ? `${statuses.join(', ') || 'no response'} instead of ${wanted}` : undefined;
}

function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1', 0, 120));
}
