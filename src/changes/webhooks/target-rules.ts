import { createNetworkList, isMapped } from '../../domain/network-list.ts';
import { isPublicAddress } from './address-ranges.ts';

/** The longest URL of a webhook, in characters. */
export const URL_LENGTH_MAX = 2_048;

/** Which URLs and addresses webhooks may call. */
export interface TargetRules {
  /**
   * Says what is wrong with a URL as the end of a sentence ("must use https"), or undefined. Resolves
   * no name.
   */
  problemOfUrl(text: string): string | undefined;
  /**
   * Says why this address must not be called for a URL that has no problem of its own, as the end of
   * a sentence, or undefined.
   */
  problemOfAddress(address: string, url: URL): string | undefined;
}

/** The settings of the operator. */
export interface TargetSettings {
  /** Ports besides 443. */
  readonly webhookPorts: readonly number[];
  /** Networks that may be called although they are not public, with plain http and on any port. */
  readonly webhookAllow: readonly string[];
}

const DEFAULT_PORT = { 'https:': 443, 'http:': 80 } as const;
const HTTPS_PORT = DEFAULT_PORT['https:'];

/** Creates the rules. Throws a RangeError for networks that are none. */
export function createTargetRules({ webhookPorts, webhookAllow }: TargetSettings): TargetRules {
  const allowed = createNetworkList(webhookAllow);
  const ports = [HTTPS_PORT, ...webhookPorts];

  /** Returns the problem of a URL that is called outside of allowed networks. */
  function publicProblem(url: URL): string | undefined {
    if (url.protocol !== 'https:') return 'must use https';
    if (ports.includes(portOf(url))) return undefined;
    return `must use port ${ports.join(' or ')}`;
  }

  function problemOfAddress(address: string, url: URL): string | undefined {
    // A mapped address goes to an IPv4 address, which has a spelling of its own.
    if (allowed.includes(address) && !isMapped(address)) return undefined;
    return publicProblem(url) ?? (isPublicAddress(address) ? undefined : NOT_PUBLIC);
  }

  function problemOfUrl(text: string): string | undefined {
    const url = readUrl(text);
    if (typeof url === 'string') return url;
    const address = literalAddress(url);
    if (address !== undefined) return problemOfAddress(address, url);
    if (!NAME.test(url.hostname)) return 'must name a host by a valid name or address';
    // Only its addresses tell whether a name is in an allowed network.
    return webhookAllow.length === 0 ? publicProblem(url) : undefined;
  }

  return { problemOfUrl, problemOfAddress };
}

const NOT_PUBLIC = 'must name a host on the public internet';

/** RFC 1123 with underscores; at most 253 characters, 63 for each label. */
const NAME =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Characters that URL parsers drop, trim or read differently. */
const AMBIGUOUS = /[\p{Cc}\p{Cf}\s\\]/u;

/** Returns the parsed URL, or what is wrong with its form. */
function readUrl(text: string): URL | string {
  if (text.length > URL_LENGTH_MAX) return `must have at most ${URL_LENGTH_MAX} characters`;
  if (AMBIGUOUS.test(text)) return 'must not contain spaces, control characters or backslashes';
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null;
  if (url === null) return 'must be an absolute https URL';
  // Everything up to the first slash, question mark or number sign names user, host and port.
  const authority = text.slice(url.protocol.length + 2).split(/[/?#]/, 1)[0] ?? '';
  if (authority.includes('@')) return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not have a fragment';
  if (url.href.length > URL_LENGTH_MAX) return `must have at most ${URL_LENGTH_MAX} characters`;
  return url;
}

/** The address in a URL that names one; the parser has brought every spelling into one form. */
export function literalAddress({ hostname }: URL): string | undefined {
  const bracketed = /^\[(.*)\]$/.exec(hostname)?.[1];
  if (bracketed !== undefined) return bracketed;
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined;
}

/** The port of a URL, whether it is written or not. */
export function portOf({ protocol, port }: URL): number {
  return port === '' ? (protocol === 'http:' ? DEFAULT_PORT['http:'] : HTTPS_PORT) : Number(port);
}
