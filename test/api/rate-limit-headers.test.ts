import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { setRateLimit } from '../../src/api/pipeline/rate-limit-headers.ts';
import type { QuotaStatus } from '../../src/domain/allowance.ts';
import { fieldsOf } from '../../src/http/response-template.ts';

const AT = 1_800_000_000_000;

/** Few values of each, so that standings in a row often differ in a single one. */
const windowAt = (end: number) =>
  fc.record({
    limit: fc.constantFrom(60, 600),
    remaining: fc.constantFrom(0, 5, 59),
    resetsAt: fc.constantFrom(AT + end, AT + 2 * end),
  });
const standings: fc.Arbitrary<QuotaStatus> = fc.record({
  at: fc.constantFrom(AT, AT + 1, AT + 999, AT + 1_001),
  minute: windowAt(30_000),
  day: fc.option(windowAt(40_000_000), { nil: undefined }),
  bannedUntil: fc.constantFrom(undefined, AT + 90_500, AT + 91_500),
});

/** The fields of a standing, put together for it alone. */
function expectedOf({ at, minute, day, bannedUntil }: QuotaStatus): Record<string, string> {
  const tightest = day !== undefined && day.remaining < minute.remaining ? day : minute;
  const left = (remaining: number) => (bannedUntil === undefined ? remaining : 0);
  const seconds = (resetsAt: number) => Math.ceil(((bannedUntil ?? resetsAt) - at) / 1_000);
  const policy = (name: string, limit: number, length: number) =>
    `"${name}";q=${limit};w=${length}`;
  const state = (name: string, { remaining, resetsAt }: QuotaStatus['minute']) =>
    `"${name}";r=${left(remaining)};t=${seconds(resetsAt)}`;
  return {
    'x-ratelimit-limit': String(tightest.limit),
    'x-ratelimit-remaining': String(left(tightest.remaining)),
    'x-ratelimit-reset': String(Math.ceil((bannedUntil ?? tightest.resetsAt) / 1_000)),
    'ratelimit-policy':
      policy('minute', minute.limit, 60) + (day ? `, ${policy('day', day.limit, 86_400)}` : ''),
    ratelimit: state('minute', minute) + (day ? `, ${state('day', day)}` : ''),
  };
}

test('whatever was said to the one before, each caller is told where it stands itself', () => {
  fc.assert(
    fc.property(fc.array(standings, { minLength: 2 }), (row) => {
      for (const quota of row) {
        const fields = fieldsOf({ status: 200, body: null, headers: {} }, false);
        setRateLimit(fields, { quota, refusal: undefined });
        const expected = expectedOf(quota);
        const told = Object.keys(expected).map((name) => [name, fields.headers.get(name)]);
        expect(Object.fromEntries(told)).toEqual(expected);
      }
    }),
    { numRuns: 300 },
  );
});
