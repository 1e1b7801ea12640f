export function numberOrNull(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

/** Converts a number for both engines, which store integers of 64 bits. */
export function bigintOrNull(value: number | null): bigint | null {
  return value === null ? null : BigInt(value);
}
