import { type Connections, openConnections } from './connections.ts';
import { CallFailed, dial } from './dial.ts';
import { type Failed, failureOf, RefusedTarget } from './failure-reasons.ts';
import { createNameResolver, UnresolvedName } from './name-resolver.ts';
import type { ReadResponse } from './response-reader.ts';
import { createTargetRules, literalAddress, type TargetSettings } from './target-rules.ts';

/** One attempt to send. */
export interface WebhookRequest {
  readonly url: string;
  /** All headers but Host, Content-Length, Accept-Encoding and Connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response arrived in time. A 2xx is success, even if its body was cut off. */
export interface WebhookResponse {
  readonly status: number;
  /** The header as it arrived, cut to 64 characters. */
  readonly retryAfter?: string;
  /** The first KiB of the body as text, without control characters. */
  readonly body: string;
  readonly milliseconds: number;
}

/** No response arrived. */
export interface WebhookFailure extends Failed {
  readonly milliseconds: number;
}

/** The outcome of an attempt. */
export type WebhookOutcome = WebhookResponse | WebhookFailure;

/** Sends webhooks; one for each process. */
export interface WebhookSender {
  /** Never rejects. Takes at most 15 s, with the resolution of the name. */
  send(request: WebhookRequest, signal?: AbortSignal): Promise<WebhookOutcome>;
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
export interface SenderParts {
  /** DNS servers, as `127.0.0.1:53`; by default those of the system. */
  readonly dnsServers?: readonly string[];
  /** The only authority to trust, as PEM; by default those of the runtime. */
  readonly authority?: string;
  /** 15,000 by default. */
  readonly timeoutMs?: number;
  /** A monotonic clock in milliseconds, for the memory of addresses. */
  readonly now?: () => number;
}

const TIMEOUT_MS = 15_000;
/** A name may have many addresses, of which the first ones may be down. */
const ADDRESSES_DIALLED_MAX = 4;
const CONNECT_MS = 5_000;
/** Requests that may wait for DNS at once. */
const CHECKING_MAX = 32;

/** Creates the sender. Throws a RangeError for networks that are none. */
export function createWebhookSender(
  settings: TargetSettings,
  { dnsServers, authority, timeoutMs = TIMEOUT_MS, now }: SenderParts = {},
): WebhookSender {
  const rules = createTargetRules(settings);
  const resolver = createNameResolver(dnsServers, now);
  let connections: Promise<Connections> | undefined;

  /** Returns the addresses to dial. Throws `RefusedTarget` or `UnresolvedName`. */
  async function checkedAddresses(text: string, signal: AbortSignal): Promise<readonly string[]> {
    const problem = rules.problemOfUrl(text);
    if (problem !== undefined) throw new RefusedTarget(problem);
    const url = new URL(text);
    const literal = literalAddress(url);
    if (literal !== undefined) return [literal];
    const addresses = await resolver.addressesOf(url.hostname, signal);
    for (const address of addresses) {
      const refused = rules.problemOfAddress(address, url);
      // One address inside makes the name a way inside, though another would be dialled first.
      if (refused !== undefined) throw new RefusedTarget(refused);
    }
    return addresses;
  }

  async function call(request: WebhookRequest, signal: AbortSignal): Promise<ReadResponse> {
    const addresses = await checkedAddresses(request.url, signal);
    const [last, ...others] = addresses.slice(0, ADDRESSES_DIALLED_MAX).toReversed();
    if (last === undefined) throw new UnresolvedName('The name has no address.');
    connections ??= openConnections(authority);
    const own = await connections;
    const callTo = (address: string) =>
      dial({ ...request, url: new URL(request.url), address }, own, signal, CONNECT_MS);
    for (const address of others.toReversed()) {
      try {
        return await callTo(address);
      } catch (error) {
        // The next address may work. Once connected, the receiver may have got the request.
        const mayContinue = error instanceof CallFailed && !error.connected && !signal.aborted;
        if (!mayContinue) throw error;
      }
    }
    return await callTo(last);
  }

  async function send(request: WebhookRequest, signal?: AbortSignal): Promise<WebhookOutcome> {
    const startedAt = performance.now();
    const ending = new AbortController();
    const expire = () => ending.abort(TIMEOUT);
    const abort = () => ending.abort(ABORTED);
    const timer = setTimeout(expire, timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    let outcome: ReadResponse | Failed;
    try {
      outcome = await call(request, ending.signal);
    } catch (error) {
      outcome = ending.signal.aborted ? ending.signal.reason : failureOf(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
    return { ...outcome, milliseconds: Math.round(performance.now() - startedAt) };
  }

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

  return { send, problemOf, close: () => void connections?.then(({ close }) => close()) };
}

const TIMEOUT: Failed = { failure: 'timeout', reason: 'The receiver did not respond in time.' };
const ABORTED: Failed = { failure: 'aborted', reason: 'The service is stopping.' };
