/** Conditional requests (RFC 9110, sections 8.8 and 13). */

/**
 * Returns a strong entity tag: a 64-bit hash of the response's body and its links to other pages.
 * It depends on nothing else, so it is equal on every instance and after a restart.
 */
export function entityTag(body: string, links = ''): string {
  const hash = Bun.hash.wyhash(links, Bun.hash.wyhash(body));
  return `"${hash.toString(16).padStart(16, '0')}"`;
}

/** Our tags hold no comma, so splitting the list at commas cannot produce one by accident. */
function tagsIn(header: string): string[] {
  return header.split(',').map((item) => item.trim());
}

/** Compares If-None-Match to an entity tag; the RFC requires the weak comparison. */
export function matchesWeakly(header: string, tag: string): boolean {
  if (header === tag || header.trim() === '*') return true;
  return tagsIn(header).some((item) => item.replace(/^W\//, '') === tag);
}

/** Compares If-Match to an entity tag; the RFC requires the strong comparison. */
export function matches(header: string, tag: string): boolean {
  return header.trim() === '*' || tagsIn(header).includes(tag);
}
