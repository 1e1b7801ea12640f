/** Returns where the page of this program is; undefined outside browsers. */
const pageLocation = (): { readonly href: string; readonly origin: string } | undefined =>
  Reflect.get(globalThis, 'location');

/**
 * Returns the address of the service. Throws a `TypeError` unless it is one of http or https that
 * ends in `/v1`. A path counts from the address of the page; elsewhere only a `fetch` of the caller
 * can use one.
 */
export function addressOf(baseUrl: unknown, hasFetch: boolean): URL {
  const base = pageLocation()?.href ?? (hasFetch ? 'http://localhost' : undefined);
  try {
    // Anything but text makes no address either.
    const url = new URL(baseUrl as string, base);
    if (/^https?:\/\/[^/@]+(\/[^?#]*)?\/v1\/?$/.test(url.href)) return url;
  } catch {}
  throw new TypeError(
    `baseUrl is ${JSON.stringify(baseUrl)}. It must be the address of the service with /v1, such as "http://127.0.0.1:8080/v1".`,
  );
}

/** The words of runtimes for the usual reasons, and ours. */
const REASONS = [
  [/refused/i, 'connection refused'],
  [/ENOTFOUND|dns error/, 'no such host'],
  [/ECONNRESET|closed/, 'the connection was closed'],
] as const;

/** Says why no response arrived from `url`. */
export function unreachable({ host, origin }: URL, error: unknown): string {
  const page = pageLocation();
  const isForeign = page !== undefined && page.origin !== origin;
  const hint = isForeign ? `. If it runs, its PETSTORE_CORS_ORIGINS must have ${page.origin}` : '';
  return `Could not reach ${host}: ${reasonOf(error)}${hint}`;
}

/** Returns the reason of an error in few words: runtimes put it into the innermost cause. */
export function reasonOf(error: unknown): string {
  const { cause, code, message }: { cause?: unknown; code?: string; message?: string } =
    Object(error);
  if (cause) return reasonOf(cause);
  const [, reason] = REASONS.find(([words]) => words.test(`${code} ${message}`)) ?? [];
  return reason ?? message ?? String(error);
}
