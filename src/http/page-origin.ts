import { isIP } from 'node:net';
import type { TrustedProxies } from './trusted-proxies.ts';

/**
 * Who could read a connection between a browser and the service: nobody with `https`, nobody with
 * http that stays on one machine (`loopback`), or everybody in between (`exposed`).
 */
type Exposure = 'https' | 'loopback' | 'exposed';

/** How browsers reach the service. */
export interface PageOriginParts {
  /** The address of the service as bound: `https` if it serves TLS itself. */
  readonly url: string;
  /** The configured base address, if there is one. */
  readonly configuredUrl: string | undefined;
  readonly proxies: Pick<TrustedProxies, 'isTrusted'>;
  /** Returns the address of the peer of the connection. */
  peerOf(request: Request): string;
}

/** What is known about the page that sent a request. */
export type PageOrigins = ReturnType<typeof createPageOrigins>;

/** Names and addresses that never leave a machine, as they are in a Host header. */
const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d*)?$/i;

/** Creates the rules for pages of this service. */
export function createPageOrigins(parts: PageOriginParts) {
  const { url, configuredUrl, proxies, peerOf } = parts;
  const hasTls = url.startsWith('https:');
  const configured = configuredUrl === undefined ? undefined : new URL(configuredUrl).origin;

  function isHttps(request: Request): boolean {
    if (hasTls) return true;
    const forwarded = request.headers.get('x-forwarded-proto');
    if (forwarded !== null && proxies.isTrusted(peerOf(request))) {
      // Each proxy on the way may add its own: none of these connections may be plain http.
      return forwarded.split(',').every((scheme) => scheme.trim().toLowerCase() === 'https');
    }
    return configured?.startsWith('https:') === true;
  }

  function exposureOf(request: Request): Exposure {
    if (isHttps(request)) return 'https';
    // The name that the browser connects to, unless a proxy has changed it.
    return LOOPBACK.test(request.headers.get('host') ?? '') ? 'loopback' : 'exposed';
  }

  /**
   * Returns whether a cookie that is set now would stay on this machine or be sent over https only.
   * A proxy may have changed Host to a local name, but Origin is still that of the page.
   */
  function isSafeForCookies(request: Request): boolean {
    const exposure = exposureOf(request);
    const origin = request.headers.get('origin');
    if (exposure !== 'loopback' || origin === null) return exposure !== 'exposed';
    return LOOPBACK.test(URL.parse(origin)?.host ?? '');
  }

  /**
   * Returns whether a page of this service sent the request. Sec-Fetch-Site says so (Fetch Metadata
   * Request Headers, section 2.4), or Origin if the browser does not send that. With neither it may
   * be any page.
   */
  function isSameOrigin(request: Request): boolean {
    const { headers } = request;
    const site = headers.get('sec-fetch-site');
    if (site !== null) return site === 'same-origin';
    const origin = headers.get('origin');
    if (origin === null) return false;
    const scheme = isHttps(request) ? 'https' : 'http';
    return origin === configured || origin === `${scheme}://${headers.get('host')}`;
  }

  /**
   * Returns whether a page of this service sent the request, by a name that others cannot point at this service: the
   * configured one, an IP address or a local name. The owner of any other one can (DNS rebinding).
   */
  function isOwnPage(request: Request): boolean {
    const { origin, host, hostname } = URL.parse(request.headers.get('origin') ?? '') ?? {};
    if (origin === undefined || !isSameOrigin(request)) return false;
    const isFixed = LOOPBACK.test(`${host}`) || isIP(`${hostname}`.replaceAll(/[[\]]/g, '')) > 0;
    return origin === configured || isFixed;
  }

  /**
   * Returns whether a request that only reads may use the cookie. Browsers send it from other ports and
   * subdomains of the same site too, and such a page could use up the quota of the person who is signed in.
   */
  function mayRead(request: Request): boolean {
    const { headers } = request;
    // `none` is the address bar. Programs and old browsers send neither header.
    if (headers.get('sec-fetch-site') === 'none') return true;
    return isSameOrigin(request) || (!headers.has('sec-fetch-site') && !headers.has('origin'));
  }

  return { exposureOf, isSafeForCookies, isSameOrigin, isOwnPage, mayRead };
}
