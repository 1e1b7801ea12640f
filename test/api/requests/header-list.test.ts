import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { RateLimitHeaders } from '../../../src/api/pipeline/respond.ts';
import { createHeaderList } from '../../../src/api/pipeline/respond.ts';

const CONSTANT = { 'cache-control': 'private, no-cache', vary: 'Authorization' };

const limitsOf = (caller: string): RateLimitHeaders => ({
  'x-ratelimit-limit': `${caller}-limit`,
  'x-ratelimit-remaining': `${caller}-remaining`,
  'x-ratelimit-reset': `${caller}-reset`,
  ratelimit: `${caller}-both`,
  'ratelimit-policy': `${caller}-policy`,
});

/** Few names and values, so that neighbours often share or lack one; `cache-control` is a constant too. */
const own = fc.record(
  {
    etag: fc.constantFrom('"1"', '"2"'),
    link: fc.constantFrom('<a>; rel="next"', '<b>; rel="next"'),
    location: fc.constant('/v1/pets/1'),
    'set-cookie': fc.constantFrom('session=1', 'session=2'),
    'cache-control': fc.constant('no-store'),
  },
  { requiredKeys: [] },
);
const responses = fc.array(fc.tuple(own, fc.constantFrom('a', 'b', 'c')), { minLength: 2 });

test('nothing of one response appears in the next, whatever they carry', () => {
  fc.assert(
    fc.property(responses, (row) => {
      const { fill } = createHeaderList(CONSTANT);
      for (const [headers, caller] of row) {
        const sent = Object.fromEntries(fill(headers, caller, limitsOf(caller)));
        const limits = limitsOf(caller);
        expect(sent).toEqual({ ...CONSTANT, ...headers, ...limits, 'x-request-id': caller });
      }
    }),
    { numRuns: 500 },
  );
});

test('a response keeps its headers when the list is filled again', () => {
  const { fill } = createHeaderList(CONSTANT);
  const first = new Response(null, { headers: fill({ etag: '"1"' }, 'one', limitsOf('a')) });
  fill({ etag: '"2"' }, 'two', limitsOf('b'));
  expect(first.headers.get('etag')).toBe('"1"');
  expect(first.headers.get('x-request-id')).toBe('one');
  expect(first.headers.get('x-ratelimit-remaining')).toBe('a-remaining');
});
