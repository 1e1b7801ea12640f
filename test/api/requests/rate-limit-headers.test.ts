import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { rateLimitHeaders } from '../../../src/api/pipeline/respond.ts';
import type { QuotaStatus } from '../../../src/domain/allowance.ts';

const AT = 1_800_000_000_000;
/** Shared by all callers, as in the service. */

/** Few values of each, so that neighbours often differ in only one. */
const windowAt = (end: number) =>
  fc.record({
    limit: fc.constantFrom(60, 600),
    remaining: fc.constantFrom(0, 5, 59),
    resetsAt: fc.constantFrom(AT + end, AT + 2 * end),
  });
const statuses: fc.Arbitrary<QuotaStatus> = fc.record({
  at: fc.constantFrom(AT, AT + 1, AT + 999, AT + 1_001),
  minute: windowAt(30_000),
  day: fc.option(windowAt(40_000_000), { nil: undefined }),
  bannedUntil: fc.constantFrom(undefined, AT + 90_500, AT + 91_500),
});

/** The headers of one quota status, written without any cached state. */
function expectedOf({ at, minute, day, bannedUntil }: QuotaStatus) {
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

test('each caller gets its own numbers, whatever the previous caller got', () => {
  fc.assert(
    fc.property(fc.array(statuses, { minLength: 2 }), (row) => {
      for (const quota of row) {
        expect(rateLimitHeaders({ quota, refusal: undefined })).toEqual(expectedOf(quota));
      }
    }),
    { numRuns: 300 },
  );
});
