import { expect } from 'bun:test';
import { FAILURE_STATUS, type FailureCode } from '../../src/domain/failure.ts';
import { parseJson } from '../../src/http/json.ts';
import type { ClientResponse } from './client.ts';
import type { RawResponse } from './raw-connection.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Checks that a response is an Error of the interface: exactly `code`, `message` and `status`,
 * `application/json`, a request id, not cacheable. Returns the message.
 */
export function expectError(
  response: ClientResponse | RawResponse | undefined,
  code: FailureCode,
): string {
  if (response === undefined) throw new Error('the connection was closed without a response');
  const body = 'text' in response ? response.text : response.body;
  const header = (name: string) => response.headers.get(name);
  const parsed: unknown = JSON.parse(body);
  expect(parsed).toEqual({ code, message: expect.any(String), status: FAILURE_STATUS[code] });
  expect(response.status).toBe(FAILURE_STATUS[code]);
  expect(parseJson(body)).toContainAllKeys(['code', 'message', 'status']);
  expect(header('content-type')).toBe('application/json');
  expect(header('x-request-id')).toMatch(REQUEST_ID);
  expect(header('cache-control')).toBe('private, no-cache');
  expect(header('x-content-type-options')).toBe('nosniff');
  const { message } = parsed as { message: string }; // Just compared with that shape.
  expect(message).toMatch(/^\S.*[.]$/s);
  return message;
}
