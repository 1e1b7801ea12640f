/** Conditional requests (RFC 9110, sections 8.8 and 13). */

/**
 * A strong entity tag: a 64-bit hash of all that the answer says, its body and the links to other
 * pages. Equal on every instance and after a restart, since it depends on nothing else.
 */
export function entityTag(body: string, links = ''): string {
  const hash = Bun.hash.wyhash(links, Bun.hash.wyhash(body));
  return `"${hash.toString(16).padStart(16, '0')}"`;
}

/** The tags that a field lists. Ours hold no comma, so cutting there cannot make one. */
function tagsIn(field: string): string[] {
  return field.split(',').map((item) => item.trim());
}

/** Whether an If-None-Match field names this entity tag (weak comparison, as the RFC asks). */
export function matchesWeakly(field: string, tag: string): boolean {
  if (field === tag || field.trim() === '*') return true;
  return tagsIn(field).some((item) => item.replace(/^W\//, '') === tag);
}

/** Whether an If-Match field names this entity tag (strong comparison, as the RFC asks). */
export function matches(field: string, tag: string): boolean {
  return field.trim() === '*' || tagsIn(field).includes(tag);
}
