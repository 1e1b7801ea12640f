/** Conditional requests (RFC 9110, sections 8.8 and 13). */

/**
 * A strong entity tag: a 64-bit hash of all that the answer says. Equal on every instance and
 * after a restart, since it depends on nothing else.
 */
export function entityTag(...parts: readonly string[]): string {
  let hash = 0n;
  for (const part of parts) hash = Bun.hash.wyhash(part, hash);
  return `"${hash.toString(16).padStart(16, '0')}"`;
}

/** Whether an If-None-Match field names this entity tag (weak comparison, as the RFC asks). */
export function matchesNone(field: string, tag: string): boolean {
  if (field === tag || field.trim() === '*') return true;
  // Our tags hold no comma, so cutting there cannot make one.
  return field.split(',').some((item) => item.trim().replace(/^W\//, '') === tag);
}
