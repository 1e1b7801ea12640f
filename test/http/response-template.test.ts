import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createResponseTemplate, type RateLimitHeaders } from '../../src/http/response-template.ts';

const VARY = { vary: 'Authorization' };

const limitsOf = (text: string): RateLimitHeaders => ({
  'x-ratelimit-limit': `${text}-limit`,
  'x-ratelimit-remaining': `${text}-remaining`,
  'x-ratelimit-reset': `${text}-reset`,
  ratelimit: `${text}-both`,
  'ratelimit-policy': `${text}-policy`,
});

/** The filled template as a client sees it. */
const sentOf = (init: Response) => Object.fromEntries(new Response(null, init).headers);

const ALWAYS = { 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' };

test('a response has the constant headers, its own and those of its request', () => {
  const template = createResponseTemplate(201, VARY);
  const init = template.fill({ etag: '"1"' }, 'id-1', limitsOf('a'));
  expect(new Response(null, init).status).toBe(201);
  expect(sentOf(init)).toEqual({
    ...ALWAYS,
    ...VARY,
    ...limitsOf('a'),
    etag: '"1"',
    'x-request-id': 'id-1',
  });
});

/** Few names and values, so that neighbours often share or lack one; `vary` is a constant too. */
const own = fc.record(
  {
    etag: fc.constantFrom('"1"', '"2"'),
    link: fc.constantFrom('<a>; rel="next"', '<b>; rel="next"'),
    location: fc.constant('/v1/pets/1'),
    vary: fc.constant('Accept-Encoding'),
  },
  { requiredKeys: [] },
);
const caller = fc.constantFrom('a', 'b', 'c');

test('nothing of one response appears in the next, whatever they carry', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(own, caller), { minLength: 2, maxLength: 8 }), (responses) => {
      const template = createResponseTemplate(200, VARY);
      for (const [headers, who] of responses) {
        const sent = sentOf(template.fill(headers, who, limitsOf(who)));
        const expected = { ...ALWAYS, ...VARY, ...headers, ...limitsOf(who), 'x-request-id': who };
        expect(sent).toEqual(expected);
      }
    }),
    { numRuns: 500 },
  );
});

test('a response keeps its headers while the template is filled again', () => {
  const template = createResponseTemplate(200, VARY);
  const first = new Response(null, template.fill({ etag: '"1"' }, 'one', limitsOf('a')));
  template.fill({ etag: '"2"' }, 'two', limitsOf('b'));
  expect(first.headers.get('etag')).toBe('"1"');
  expect(first.headers.get('x-request-id')).toBe('one');
  expect(first.headers.get('x-ratelimit-remaining')).toBe('a-remaining');
});
