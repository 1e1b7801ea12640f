/** The share of a window's quota that may be used earlier than its time has passed. */
const AHEAD = 0.1;

/**
 * Returns the milliseconds to rest before the next request, so that what is left of each window of
 * the quota lasts until it is whole again. 0 while more is left than that takes: after a quiet time
 * several requests may follow each other at once.
 */
export function restAfter(headers: Headers): number {
  const windows = headers.get('ratelimit-policy')?.matchAll(/q=(\d+);w=(\d+)/g) ?? [];
  const left = [...(headers.get('ratelimit')?.matchAll(/r=(\d+);t=(\d+)/g) ?? [])];
  const rests = [...windows].map(([, quota, seconds], index) => {
    const [, remaining, resetsIn] = (left[index] ?? []).map(Number);
    if (remaining === undefined || resetsIn === undefined) return 0;
    const even = (resetsIn / Number(seconds)) * Number(quota);
    return remaining < (1 - AHEAD) * even ? (1000 * resetsIn) / Math.max(remaining, 1) : 0;
  });
  return Math.max(0, ...rests);
}
