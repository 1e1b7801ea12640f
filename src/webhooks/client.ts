import { createNameResolver, UnresolvedName } from './name-resolver.ts';
import {
  type Connections,
  openConnections,
  type ReadFile,
  type ReadMessage,
  type ReadResponse,
  RequestFailed,
  readStart,
  readWhole,
  sendTo,
} from './request.ts';
import { createTargetRules, literalAddress, type TargetSettings } from './target-rules.ts';

/** Why no response arrived. */
export type FailureKind =
  | 'refused_target'
  | 'unresolved_name'
  | 'connection_failed'
  | 'certificate_invalid'
  | 'invalid_response'
  | 'timeout'
  | 'unreadable_secret'
  | 'aborted';

/** A failure in plain words. */
export interface Failed {
  readonly failure: FailureKind;
  /** One sentence that is safe to show: it names no address. */
  readonly reason: string;
}

/** A URL or one of its addresses must not be called. The message ends a sentence. */
export class RefusedTarget extends Error {
  override readonly name = 'RefusedTarget';
}

/** A request to a receiver. */
interface WebhookRequest {
  readonly url: string;
  /** All headers but Host, Content-Length, Accept-Encoding and Connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response arrived in time. A 2xx is success, even if its body was cut off. */
interface WebhookResponse extends ReadResponse {
  readonly milliseconds: number;
}

/** No response arrived. */
interface WebhookFailure extends Failed {
  readonly milliseconds: number;
}

/** The outcome of an attempt. */
export type SendOutcome = WebhookResponse | WebhookFailure;

/** Sends webhooks; one for each process. */
export interface WebhookClient {
  /** Never rejects. Takes at most 15 s, with the resolution of the name. */
  send(request: WebhookRequest, signal?: AbortSignal): Promise<SendOutcome>;
  /** Gets a file of at most this many bytes, by the rules of webhooks, within a minute. Never rejects. */
  getFile(url: string, bytesMax: number, signal?: AbortSignal): Promise<ReadFile | Failed>;
  /**
   * Says why a URL must not be called, as the end of a sentence ("must use https"), or undefined.
   * Resolves the name, unless many wait for that. A name that does not resolve is no problem: a
   * receiver may come later.
   */
  problemOf(url: string): Promise<string | undefined>;
  /** Closes the connections. */
  close(): void;
}

/** Parts that a test may replace. */
export interface ClientParts {
  /** DNS servers, as `127.0.0.1:53`; by default those of the system. */
  readonly dnsServers?: readonly string[] | undefined;
  /** The only authority to trust, as PEM; by default those of the runtime. */
  readonly authority?: string;
  /** 15,000 by default. */
  readonly timeoutMs?: number;
  /** A monotonic clock in milliseconds, for the memory of addresses. */
  readonly now?: (() => number) | undefined;
}

const TIMEOUT_MS = 15_000;
const FILE_TIMEOUT_MS = 60_000;
const USER_AGENT = 'Petstore/1';
/** A name may have many addresses, of which the first ones may be down. */
const ADDRESSES_MAX = 4;
const CONNECT_MS = 5_000;
/** Requests that may wait for DNS at once. */
const CHECKING_MAX = 32;

/**
 * Creates what returns the addresses that a URL may be called at, all of them checked. It throws `RefusedTarget` or
 * `UnresolvedName`.
 */
export function createAddressCheck(
  settings: TargetSettings,
  { dnsServers, now }: Pick<ClientParts, 'dnsServers' | 'now'> = {},
) {
  const rules = createTargetRules(settings);
  const addressesOf = createNameResolver(dnsServers, now);
  return async (text: string, signal: AbortSignal): Promise<readonly string[]> => {
    const problem = rules.problemOfUrl(text);
    if (problem !== undefined) throw new RefusedTarget(problem);
    const url = new URL(text);
    const literal = literalAddress(url);
    if (literal !== undefined) return [literal];
    const addresses = await addressesOf(url.hostname, signal);
    for (const address of addresses) {
      const refused = rules.problemOfAddress(address, url);
      // One address inside makes the name a way inside, though another would be used first.
      if (refused !== undefined) throw new RefusedTarget(refused);
    }
    return addresses;
  };
}

/** Creates the client. Throws a RangeError for networks that are none. */
export function createWebhookClient(
  settings: TargetSettings,
  { dnsServers, authority, timeoutMs = TIMEOUT_MS, now }: ClientParts = {},
): WebhookClient {
  const rules = createTargetRules(settings);
  const checkedAddresses = createAddressCheck(settings, { dnsServers, now });
  let connections: Promise<Connections> | undefined;

  async function sendToAny<T>(
    request: Pick<WebhookRequest, 'url' | 'headers'> & { readonly body: string | undefined },
    read: ReadMessage<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const addresses = await checkedAddresses(request.url, signal);
    const [last, ...others] = addresses.slice(0, ADDRESSES_MAX).toReversed();
    if (last === undefined) throw new UnresolvedName('The name has no address.');
    connections ??= openConnections(authority);
    const own = await connections;
    const url = new URL(request.url);
    const sendToAddress = (address: string) =>
      sendTo({ ...request, url, address }, read, own, signal, CONNECT_MS);
    for (const address of others.toReversed()) {
      try {
        return await sendToAddress(address);
      } catch (error) {
        // The next address may work. Once connected, the receiver may have got the request.
        const mayContinue = error instanceof RequestFailed && !error.connected && !signal.aborted;
        if (!mayContinue) throw error;
      }
    }
    return await sendToAddress(last);
  }

  async function send(request: WebhookRequest, signal?: AbortSignal): Promise<SendOutcome> {
    const startedAt = performance.now();
    const outcome = await within<ReadResponse>(timeoutMs, signal, (ending) =>
      sendToAny(request, readStart, ending),
    );
    return { ...outcome, milliseconds: Math.round(performance.now() - startedAt) };
  }

  const getFile: WebhookClient['getFile'] = (url, bytesMax, signal) =>
    within(FILE_TIMEOUT_MS, signal, (ending) => {
      const request = { url, headers: { 'user-agent': USER_AGENT }, body: undefined };
      return sendToAny(request, readWhole(bytesMax), ending);
    });

  let checking = 0;

  async function problemOf(url: string): Promise<string | undefined> {
    // A request that waits for DNS counts as in progress. Attempts check the addresses anyway.
    if (checking >= CHECKING_MAX) return rules.problemOfUrl(url);
    checking += 1;
    try {
      await checkedAddresses(url, new AbortController().signal);
      return undefined;
    } catch (error) {
      if (error instanceof RefusedTarget) return error.message;
      if (error instanceof UnresolvedName) return undefined;
      throw error;
    } finally {
      checking -= 1;
    }
  }

  return { send, getFile, problemOf, close: () => void connections?.then(({ close }) => close()) };
}

/** Ends work when its time is over, or when `signal` aborts, and says why it failed. */
async function within<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (ending: AbortSignal) => Promise<T>,
): Promise<T | Failed> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(TIMEOUT), milliseconds);
  const abort = () => ending.abort(ABORTED);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  try {
    return await work(ending.signal);
  } catch (error) {
    return ending.signal.aborted ? ending.signal.reason : failureOf(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

const TIMEOUT: Failed = { failure: 'timeout', reason: 'The receiver did not respond in time.' };
const ABORTED: Failed = { failure: 'aborted', reason: 'The service is stopping.' };

const BY_CODE: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: 'The receiver closed the connection before it responded.',
  EPIPE: 'The receiver closed the connection before it responded.',
  EHOSTUNREACH: 'The receiver cannot be reached.',
  ENETUNREACH: 'The receiver cannot be reached.',
  EADDRNOTAVAIL: 'The receiver cannot be reached.',
  ETIMEDOUT: 'The receiver did not accept the connection in time.',
  HPE_HEADER_OVERFLOW: 'The headers of the response are too large.',
};

/** Certificates, by the codes of OpenSSL; the name is checked by the runtime. */
const BY_CERTIFICATE: Readonly<Partial<Record<string, string>>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
};

const CERTIFICATE =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_|HOSTNAME_|ERROR_IN_CERT)/;

/** Says why an attempt failed. */
function failureOf(error: unknown): Failed {
  if (error instanceof RefusedTarget) {
    return { failure: 'refused_target', reason: `The URL ${error.message}.` };
  }
  if (error instanceof UnresolvedName) return { failure: 'unresolved_name', reason: error.message };
  if (!(error instanceof RequestFailed)) {
    return { failure: 'connection_failed', reason: 'The request could not be sent.' };
  }
  return ofCode(error.code);
}

function ofCode(code: string): Failed {
  if (code.startsWith('HPE_')) {
    const reason = BY_CODE[code] ?? 'The response is not valid HTTP.';
    return { failure: 'invalid_response', reason };
  }
  const certificate = BY_CERTIFICATE[code];
  if (certificate !== undefined || CERTIFICATE.test(code)) {
    const reason = certificate ?? 'The certificate is not signed by a known authority.';
    return { failure: 'certificate_invalid', reason };
  }
  const reason =
    BY_CODE[code] ?? (/SSL|TLS|EPROTO/.test(code) ? 'TLS could not be established.' : undefined);
  return { failure: 'connection_failed', reason: reason ?? 'The connection failed.' };
}
