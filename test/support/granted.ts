import type { ClientResponse } from './client.ts';

/** Returns what was left of the limit after each granted request, in ascending order. */
export function leftAfterGranted(responses: readonly ClientResponse[]): number[] {
  const granted = responses.filter(({ status }) => status === 200);
  const left = granted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  return left.sort((a, b) => a - b);
}

/** The numbers from 0 up to, but without, `limit`: what is left if each request counts once. */
export const eachOnce = (limit: number): number[] => Array.from({ length: limit }, (_, n) => n);
