import { describe, expect, test } from 'bun:test';
import { SCOPES, type Scope } from '../../src/domain/api-key.ts';
import { type Caller, mayUse } from '../../src/domain/caller.ts';
import { durationFromText } from '../../src/domain/duration.ts';
import {
  FAILURE_STATUS,
  Failure,
  type FailureCode,
  unavailable,
} from '../../src/domain/failure.ts';
import { pageOf } from '../../src/domain/page.ts';
import { changedPet, isPetStatus } from '../../src/domain/pet.ts';
import { FIXED_PLANS, planOf, requestedPlan } from '../../src/domain/plan.ts';

describe('failures', () => {
  test('are a closed list, each with its status', () => {
    const byStatus = Object.entries(FAILURE_STATUS).map(([code, status]) => `${status} ${code}`);
    expect(byStatus).toEqual([
      '400 invalid_json',
      '400 invalid_body',
      '400 invalid_parameter',
      '400 invalid_cursor',
      '400 invalid_idempotency_key',
      '400 invalid_request',
      '401 missing_api_key',
      '401 invalid_api_key',
      '403 insufficient_scope',
      '403 cross_site_request',
      '403 insecure_connection',
      '404 pet_not_found',
      '404 order_not_found',
      '404 category_not_found',
      '404 key_not_found',
      '404 webhook_not_found',
      '404 delivery_not_found',
      '404 import_not_found',
      '404 route_not_found',
      '405 method_not_allowed',
      '409 conflict',
      '409 idempotency_in_progress',
      '410 operation_removed',
      '410 events_expired',
      '412 precondition_failed',
      '413 body_too_large',
      '414 uri_too_long',
      '415 unsupported_media_type',
      '422 idempotency_key_reused',
      '429 rate_limit_minute',
      '429 rate_limit_day',
      '429 api_key_banned',
      '431 headers_too_large',
      '500 internal_error',
      '503 service_unavailable',
    ]);
  });

  test('know their status', () => {
    for (const [code, status] of Object.entries(FAILURE_STATUS)) {
      expect(new Failure(code as FailureCode, 'x').status).toBe(status); // A key of that object.
    }
  });

  test('of the storage keep their cause for the log and say when to retry', () => {
    const cause = new Error('disk');
    const failure = unavailable(cause);
    expect(failure.status).toBe(503);
    expect(failure.details.cause).toBe(cause);
    expect(failure.details.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(failure.message).not.toContain('disk');
  });
});

describe('durations', () => {
  test.each([
    ['0s', 0],
    ['30s', 30_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['90d', 7_776_000_000],
  ])('%s is %d ms', (text, expected) => expect(durationFromText(text)).toBe(expected));

  test.each([
    '',
    '5',
    's',
    '05s',
    '-1s',
    '+1s',
    '1.5h',
    '1 h',
    '1H',
    '1w',
    '1s ',
    '1s1m',
    '9999999s',
  ])('%p is none', (text) => expect(durationFromText(text)).toBeUndefined());
});

describe('plans', () => {
  test('have the limits of the interface', () => {
    const numbers = Object.values(FIXED_PLANS).map((p) => [p.name, p.perMinute, p.perDay]);
    expect(numbers).toEqual([
      ['free', 60, 1_000],
      ['pro', 300, 10_000],
      ['business', 1_000, 100_000],
    ]);
  });

  test('take limits from the key only for enterprise', () => {
    expect(planOf('enterprise', 7, 8)).toEqual({ name: 'enterprise', perMinute: 7, perDay: 8 });
    expect(planOf('free', 7, 8)).toEqual(FIXED_PLANS.free);
    expect(planOf('enterprise', null, null)).toMatchObject({ perMinute: 0, perDay: 0 });
  });

  test('require both limits for enterprise, and none otherwise', () => {
    const enterprise = { plan: 'enterprise', perMinute: 7, perDay: 8 } as const;
    expect(requestedPlan(enterprise)).toEqual({ name: 'enterprise', perMinute: 7, perDay: 8 });
    expect(requestedPlan({ plan: 'enterprise', perMinute: 7 })).toBe('limits_missing');
    expect(requestedPlan({ plan: 'enterprise', perDay: 8 })).toBe('limits_missing');
    expect(requestedPlan({ plan: 'pro' })).toEqual(FIXED_PLANS.pro);
    expect(requestedPlan({ ...enterprise, plan: 'pro' })).toBe('limits_not_allowed');
  });
});

test('scopes include the ones below, and none above', () => {
  const caller = (...scopes: Scope[]): Caller => ({
    keyId: 1n,
    familyId: 1n,
    scopes,
    plan: FIXED_PLANS.free,
    unbannedAt: null,
    name: 'a test',
    expiresAt: null,
  });
  const may = (held: Caller) => SCOPES.filter((scope) => mayUse(held, scope));
  expect(may(caller())).toEqual([]);
  expect(may(caller('read'))).toEqual(['read']);
  expect(may(caller('adopt'))).toEqual(['read', 'adopt']);
  expect(may(caller('write'))).toEqual(['read', 'adopt', 'write']);
  expect(may(caller('admin'))).toEqual(['read', 'adopt', 'write', 'admin']);
  expect(may(caller('read', 'admin'))).toEqual(['read', 'adopt', 'write', 'admin']);
});

test('statuses are the three of the interface', () => {
  expect(['available', 'pending', 'sold'].every(isPetStatus)).toBe(true);
  expect(['', 'Sold', 'adopted', 'length'].some(isPetStatus)).toBe(false);
});

test('a change of an animal keeps the fields that it does not name', () => {
  const pet = { id: 1n, name: 'Rex', categoryId: 2n, status: 'available' } as const;
  expect(changedPet(pet, {})).toEqual(pet);
  expect(changedPet(pet, { name: 'Max' })).toEqual({ ...pet, name: 'Max' });
  expect(changedPet(pet, { categoryId: 0n })).toEqual({ ...pet, categoryId: 0n });
  expect(changedPet(pet, { status: 'sold' })).toEqual({ ...pet, status: 'sold' });
});

test('a page is built from up to one row more than its limit', () => {
  const [first, second, third] = [{ id: 4n }, { id: 7n }, { id: 9n }];
  const items = [first, second];
  expect(pageOf([first, second, third], 2)).toEqual({ items, more: true, nextId: 9n });
  expect(pageOf([first, second], 2)).toEqual({ items, more: false });
  expect(pageOf([], 2)).toEqual({ items: [], more: false });
});
