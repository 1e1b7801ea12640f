/** The one place that talks to the service. */

import { type Pet, Petstore, PetstoreError } from '../../packages/client/src/index.ts';
import { noteLoss, noteResponse, noteTooMany } from './connection.ts';
import { type Language, t } from './language.ts';

export type * from '../../packages/client/src/index.ts';
export { PetstoreError, readJson, writeJson } from '../../packages/client/src/index.ts';

const UNAUTHORIZED = 401;
const TOO_MANY = 429;
/** The wait if a refusal does not name one. */
const WAIT_S = 5;
/** The time for a call about a session or a password. */
const SESSION_TIMEOUT_MS = 10_000;

let signedOut = () => {};

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

/** Asks an operation for a file for spreadsheets. Throws a `PetstoreError`. */
export async function loadFile(path: string, query: Readonly<Record<string, string>>) {
  const url = `/v1${path}?${new URLSearchParams(query)}`;
  const response = await watchedFetch(url, { headers: { accept: 'text/csv' } }).catch(unreachable);
  return response.ok ? response.blob() : Promise.reject(await refusalOf(response));
}

/** Returns the fields that have a value. */
export function known<T extends object>(fields: T) {
  const given = Object.entries(fields).filter(([, value]) => (value ?? '') !== '');
  return Object.fromEntries(given) as { readonly [K in keyof T]?: NonNullable<T[K]> };
}

/** Reads all that a list has, or its first `most`. */
export async function collect<T>(list: AsyncIterable<T>, most = Infinity): Promise<T[]> {
  const found: T[] = [];
  if (most > 0) {
    for await (const one of list) if (found.push(one) >= most) break;
  }
  return found;
}

const PAGE_MAX = 100;

/** Loads the animals of records, by id. Those that were removed are missing. */
export async function loadPets(
  records: readonly { readonly petId: Pet['id'] }[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<Pet['id'], Pet>> {
  const ids = [...new Set(records.map(({ petId }) => petId))];
  const found: Pet[] = [];
  for (let at = 0; at < ids.length; at += PAGE_MAX) {
    const id = ids.slice(at, at + PAGE_MAX);
    found.push(...(await store.pets.list({ id, limit: PAGE_MAX }, { signal })).items);
  }
  return new Map(found.map((pet) => [pet.id, pet]));
}

/** Returns the name of the animal of a record; `pet` is undefined if it was removed. */
export function petName({ petId }: { readonly petId: Pet['id'] }, pet: Pet | undefined): string {
  return pet?.name ?? t`Animal ${petId}, removed`;
}

/** What somebody signs in with. */
export type Proof =
  | { readonly key: string }
  | { readonly email: string; readonly password: string };

/** A browser in which somebody is signed in. */
export interface OwnSession {
  readonly id: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly isCurrent: boolean;
}

/** Starts a session. Throws a `PetstoreError`, as the others do. */
export const openSession = (proof: Proof) => call('POST', 'session', proof);

export const closeSession = () => call('DELETE', 'session');

export const acceptInvitation = (invitation: string, password: string) =>
  call('POST', 'invitation', { invitation, password });

export const changePassword = (current: string, password: string) =>
  call('POST', 'password', { current, password });

/** Reads the language that the person has chosen. */
export async function ownLanguage(): Promise<Language | null> {
  return (await answer<{ readonly language: Language | null }>('language')).language;
}

/** Chooses the language of the person, or none to follow each browser. */
export const changeOwnLanguage = (language: Language | null) =>
  call('POST', 'language', { language });

export const ownSessions = () => answer<readonly OwnSession[]>('sessions');

export const endOwnSession = (id: string) => call('DELETE', `sessions/${id}`);

/** What the service tells the console alone. */
async function answer<T>(path: string): Promise<T> {
  return (await (await call('GET', path)).json()) as T;
}

/** Makes a call of the console that is not part of the interface. */
async function call(method: string, path: string, value?: object): Promise<Response> {
  const signal = AbortSignal.timeout(SESSION_TIMEOUT_MS);
  const body = value && JSON.stringify(value);
  const headers = { ...(body && { 'content-type': 'application/json' }) };
  const init = { method, headers, signal, ...(body && { body }) };
  const response = await fetch(`/console/${path}`, init).catch((cause) => {
    noteLoss();
    return unreachable(cause);
  });
  noteResponse();
  if (response.ok) return response;
  const refusal = await refusalOf(response);
  if (refusal.code === 'invalid_api_key' && path !== 'session') signedOut();
  throw refusal;
}

function unreachable(cause: unknown): never {
  throw new PetstoreError(t`The service cannot be reached.`, { code: 'connection_lost', cause });
}

async function refusalOf(response: Response): Promise<PetstoreError> {
  const error = (await response.json().catch(() => ({}))) as Partial<PetstoreError>;
  return new PetstoreError(error.message ?? t`The service refused without a reason.`, {
    code: error.code ?? 'internal_error',
    status: response.status,
    retryAfter: Number(response.headers.get('retry-after')) || undefined,
  });
}
