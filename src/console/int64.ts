/** Ids in addresses and forms, where they are texts. */
import type { Int64 } from './service.ts';

/** Returns the number in an address of what has no 64-bit id, or undefined. */
export function readNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Returns the id that a text has in decimal, or undefined. */
export function readId(text: string | null | undefined): Int64 | undefined {
  if (!text || !/^-?\d{1,19}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}
