import { describe, expect, test } from 'bun:test';
import { all, atMost, type Expected, plainInput } from './input.ts';
import { memoryProblems } from './report.ts';
import { verdictOf } from './verdict.ts';
import type { Received } from './wire.ts';

const OURS =
  'X-Request-Id: a\r\nX-Content-Type-Options: nosniff\r\nContent-Type: application/json\r\n';

/** A response of the service. */
function ours(status: number, body: string, more = ''): string {
  return `HTTP/1.1 ${status} X\r\n${OURS}${more}Content-Length: ${body.length}\r\n\r\n${body}`;
}

const error = (status: number, code: string, message = 'No.') =>
  ours(status, JSON.stringify({ code, message, status }));
const RUNTIME_400 = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

/** The problem that the verdict names for a response. */
function problemWith(
  response: string,
  expected: Expected = 'valid',
  end: Received['end'] = 'closed',
  sent = 'GET / HTTP/1.1\r\n\r\n',
): string | undefined {
  const received = { bytes: Buffer.from(response, 'latin1'), end, sentAll: true };
  return verdictOf(plainInput('a test', sent, expected), received).problem;
}

describe('the verdict of the fuzz test', () => {
  test.each([
    ['nothing, and the connection closed', ''],
    ['a response', ours(200, '{}')],
    ['an Error', error(404, 'route_not_found')],
    ['two responses', ours(200, '[1]') + error(400, 'invalid_json')],
    ['the refusal of the runtime', RUNTIME_400],
    ['a response before the refusal of the runtime', ours(201, '{}') + RUNTIME_400],
    ['a 304', `HTTP/1.1 304 Not Modified\r\n${OURS}\r\n`],
    [
      'a 503 with Retry-After',
      error(503, 'service_unavailable').replace('\r\n', '\r\nRetry-After: 1\r\n'),
    ],
  ])('accepts %s', (_, response) => {
    expect(problemWith(response)).toBeUndefined();
  });

  test.each([
    ['a 500', error(500, 'internal_error')],
    ['a 503 without Retry-After', error(503, 'service_unavailable')],
    ['no HTTP', 'hello'],
    ['another version', ours(200, '{}').replace('1.1', '1.0')],
    ['half a head', ours(200, '{}').slice(0, 30)],
    ['half a body', ours(200, '{}').slice(0, -1)],
    ['a byte too many', `${ours(200, '{}')}x`],
    ['a field without a colon', ours(200, '{}', 'abc\r\n')],
    ['a control character in a field', ours(200, '{}', 'a: \x1b\r\n')],
    ['a field given twice', ours(200, '{}', 'X-Request-Id: b\r\n')],
    ['no length', `HTTP/1.1 200 OK\r\n${OURS}\r\n{}`],
    ['chunks', ours(200, '{}', 'Transfer-Encoding: chunked\r\n')],
    [
      'a response that is neither ours nor the runtime’s',
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    ],
    ['a body of the runtime', 'HTTP/1.1 400 X\r\nContent-Length: 1\r\n\r\nx'],
    ['a response after the refusal of the runtime', RUNTIME_400 + ours(200, '{}')],
    ['no nosniff', ours(200, '{}').replace('nosniff', 'sniff')],
    ['an error that is not JSON', ours(404, 'no')],
    ['an error with another status', error(404, 'invalid_json')],
    ['an error with an unknown code', error(404, 'gone_fishing')],
    [
      'an error with an unknown member',
      ours(404, '{"code":"route_not_found","message":"","status":404,"a":1}'),
    ],
    ['an error that moves a terminal', error(404, 'route_not_found', '\x1b[2J')],
    ['a redirect', ours(302, '')],
    ['an unrequested 100', `HTTP/1.1 100 Continue\r\n\r\n${ours(201, '{}')}`],
  ])('refuses %s', (_, response) => {
    expect(problemWith(response)).toBeString();
  });

  test('refuses a connection that stays open', () => {
    expect(problemWith(ours(200, '{}'), 'valid', 'open')).toBe('it hangs');
  });

  test('ignores a response that a reset cut off', () => {
    const cut = ours(200, '{}').slice(0, -1);
    expect(problemWith(cut, 'valid', 'reset')).toBeUndefined();
    expect(problemWith(cut, all({ statuses: [200] }), 'closed')).toBeString();
  });

  test('recognizes the response to HEAD, and a requested 100', () => {
    const head = ours(200, '{}').slice(0, -2);
    expect(problemWith(head)).toBeString();
    expect(problemWith(head, all({ statuses: [200], bodyless: true }))).toBeUndefined();
    expect(problemWith(head, 'valid', 'closed', 'HEAD / HTTP/1.1\r\n\r\n')).toBeUndefined();
    const sent = 'POST / HTTP/1.1\r\nExpect: 100-continue\r\n\r\n';
    const response = `HTTP/1.1 100 Continue\r\n\r\n${ours(201, '{}')}`;
    expect(problemWith(response, 'valid', 'closed', sent)).toBeUndefined();
  });

  test('compares responses with the expected ones', () => {
    const two = ours(200, '{}') + ours(201, '{}');
    const [first, second] = [{ statuses: [200] }, { statuses: [201, 409] }];
    expect(problemWith(two, all(first, second))).toBeUndefined();
    expect(problemWith(two, all(second, first))).toBeString();
    expect(problemWith(two, all(first))).toBeString();
    expect(problemWith(two, all(first, second, second))).toBeString();
    expect(problemWith(two, atMost(first, second, second))).toBeUndefined();
    expect(problemWith(two, all(first, { ...second, requestId: 'a' }))).toBeUndefined();
    expect(problemWith(two, all(first, { ...second, requestId: 'b' }))).toBeString();
    expect(problemWith(two, 'refusal')).toBeString();
    expect(problemWith(RUNTIME_400, 'refusal')).toBeUndefined();
    expect(problemWith(ours(200, '{}'), 'refusal')).toBeString();
    expect(problemWith('', all(first))).toBeString();
  });
});

describe('the memory of the server', () => {
  const MIB = 1_048_576;

  test('may not exceed its bound', () => {
    expect(memoryProblems([100 * MIB, 380 * MIB])).toEqual([]);
    expect(memoryProblems([100 * MIB, 390 * MIB])).toHaveLength(1);
  });

  test('may not grow through a long run', () => {
    const rising = (step: number) => Array.from({ length: 600 }, (_, i) => 80 * MIB + i * step);
    expect(memoryProblems(rising(0.1 * MIB))).toEqual([]);
    expect(memoryProblems(rising(0.4 * MIB))).toHaveLength(1);
  });
});
