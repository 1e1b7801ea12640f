/** The one place that talks to the service. */
import { Petstore, PetstoreError } from '../../packages/client/src/index.ts';
import { noteLoss, noteResponse, noteTooMany } from './connection.ts';

export type * from '../../packages/client/src/index.ts';
export { PetstoreError, readJson, writeJson } from '../../packages/client/src/index.ts';

const UNAUTHORIZED = 401;
const TOO_MANY = 429;
/** The wait if a refusal does not name one. */
const WAIT_S = 5;
/** The time for signing in or out. */
const SESSION_TIMEOUT_MS = 10_000;

let signedOut = () => {};

/** Sets what happens when the service no longer accepts the session. */
export function whenSignedOut(callback: () => void): void {
  signedOut = callback;
}

/** Sends a request and notes whether the service can be reached. */
async function watchedFetch(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init);
    noteResponse();
    if (response.status === UNAUTHORIZED) signedOut();
    if (response.status === TOO_MANY) {
      noteTooMany(Number(response.headers.get('retry-after')) || WAIT_S);
    }
    return response;
  } catch (error) {
    if (!init.signal?.aborted || init.signal.reason?.name === 'TimeoutError') noteLoss();
    throw error;
  }
}

/** The public interface of the service. The cookie of the session says who asks. */
export const store = new Petstore({ baseUrl: '/v1', fetch: watchedFetch });

/** Exchanges a key for a session. Throws a `PetstoreError`. */
export async function openSession(key: string): Promise<void> {
  await session('POST', JSON.stringify({ key }));
}

/** Ends the session. Throws a `PetstoreError`. */
export async function closeSession(): Promise<void> {
  await session('DELETE');
}

async function session(method: string, body?: string): Promise<void> {
  const headers = { ...(body !== undefined && { 'content-type': 'application/json' }) };
  const signal = AbortSignal.timeout(SESSION_TIMEOUT_MS);
  const init = { method, headers, signal, ...(body !== undefined && { body }) };
  const response = await fetch('/console/session', init).catch((cause) => {
    noteLoss();
    throw new PetstoreError('The service cannot be reached.', { code: 'connection_lost', cause });
  });
  noteResponse();
  if (response.ok) return;
  const error = await response.json().catch(() => ({}));
  throw new PetstoreError(error.message ?? 'The service refused without a reason.', {
    code: error.code ?? 'internal_error',
    status: response.status,
    retryAfter: Number(response.headers.get('retry-after')) || undefined,
  });
}
