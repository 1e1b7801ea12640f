/** Returns the values of all cookies of this name in a Cookie header (RFC 6265, section 4.2.1). */
export function cookiesNamed(header: string, name: string): string[] {
  const start = `${name}=`;
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
}

/** What a browser is told about a cookie besides its name and value. */
export interface CookieRules {
  /** Only send it over https. */
  readonly secure: boolean;
  /** Seconds; 0 removes the cookie. */
  readonly maxAge: number;
}

/**
 * Returns a Set-Cookie header for a cookie that scripts cannot read and that the browser sends only
 * with requests of pages of the same site.
 */
export function setCookie(name: string, value: string, { secure, maxAge }: CookieRules): string {
  const scope = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict`;
  return `${name}=${value}; ${scope}${secure ? '; Secure' : ''}`;
}
