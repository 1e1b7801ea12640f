import { expect } from 'bun:test';
import type { ClientResponse } from '../../support/client.ts';

/** The limit headers of a response, parsed as a client would. */
export interface LimitHeaders {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds. */
  readonly reset: number;
  readonly windows: ReadonlyMap<string, { readonly remaining: number; readonly seconds: number }>;
  readonly retryAfter: number | undefined;
}

const NUMBER = /^[0-9]+$/;
const STATE = /^"(minute|day)";r=([0-9]+);t=([0-9]+)$/;
const POLICY = /^"(minute|day)";q=([0-9]+);w=([0-9]+)$/;

function numberOf(response: ClientResponse, name: string): number {
  const text = response.headers.get(name) ?? `no ${name}`;
  expect(text).toMatch(NUMBER);
  return Number(text);
}

function itemsOf(response: ClientResponse, name: string, shape: RegExp): RegExpExecArray[] {
  return (response.headers.get(name) ?? '').split(', ').map((item) => {
    const match = shape.exec(item);
    if (match === null) throw new Error(`${name} has the malformed item ${item}`);
    return match;
  });
}

/**
 * Checks that the limit headers of a response agree, for any status: the trio, both headers
 * of the IETF draft and Retry-After. `now` is the time of the response in milliseconds, if
 * known.
 */
export function expectLimits(response: ClientResponse, now?: number): LimitHeaders {
  const limit = numberOf(response, 'x-ratelimit-limit');
  const remaining = numberOf(response, 'x-ratelimit-remaining');
  const reset = numberOf(response, 'x-ratelimit-reset');
  const policies = new Map(
    itemsOf(response, 'ratelimit-policy', POLICY).map(([, name, q, w]) => [
      name ?? '',
      { quota: Number(q), window: Number(w) },
    ]),
  );
  const windows = new Map(
    itemsOf(response, 'ratelimit', STATE).map(([, name, r, t]) => [
      name ?? '',
      { remaining: Number(r), seconds: Number(t) },
    ]),
  );
  expect([...windows.keys()]).toEqual([...policies.keys()]);
  for (const [name, { window }] of policies) expect(window).toBe(name === 'day' ? 86_400 : 60);

  // The trio describes the window with the least left.
  const least = Math.min(...[...windows.values()].map((window) => window.remaining));
  expect(remaining).toBe(least);
  const described = [...policies].filter(
    ([name, { quota }]) => quota === limit && windows.get(name)?.remaining === remaining,
  );
  expect(described).not.toBeEmpty();
  const waits = described.map(([name]) => windows.get(name)?.seconds ?? 0);
  if (now !== undefined) {
    const seconds = Math.max(1, Math.ceil((reset * 1_000 - now) / 1_000));
    // Whole seconds: the rest of a ban is rounded up.
    expect(waits.some((wait) => Math.abs(wait - seconds) <= 1)).toBe(true);
  }

  const retryAfter = response.headers.get('retry-after');
  if (response.status !== 429) return { limit, remaining, reset, windows, retryAfter: undefined };
  expect(remaining).toBe(0);
  const wait = numberOf(response, 'retry-after');
  expect(wait).toBeGreaterThanOrEqual(1);
  expect(waits).toContain(wait);
  return { limit, remaining, reset, windows, retryAfter: Number(retryAfter) };
}
