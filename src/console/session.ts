/** Who is signed in. */
import { batch, effect, signal } from '@preact/signals';
import { chooseLanguage, type Language } from './language.ts';
import {
  changeOwnLanguage,
  closeSession,
  type OwnKey,
  openSession,
  ownLanguage,
  type Proof,
  store,
  whenSignedOut,
} from './service.ts';

/** Who is signed in: a person, or a program's key. */
export interface Person extends OwnKey {
  /** Whether they have a password. */
  readonly isStaff: boolean;
  /** The language that they have chosen, for every browser; null to follow each, undefined if it is not known. */
  readonly language?: Language | null | undefined;
}

/** What a key may do. Each scope includes those before it, except `webhooks`. */
export type Scope = OwnKey['scopes'][number];

/** The page does not wait longer for the position of the newest event. */
const START_WAIT_MS = 3_000;
/** From the least to the greatest. */
export const SCOPES: readonly Scope[] = ['read', 'adopt', 'write', 'webhooks', 'admin'];

/** The person who is signed in; null if nobody is, undefined while that is not known. */
export const person = signal<Person | null | undefined>(undefined);

/** The person whose session has ended by itself: their unfinished work stays, hidden, until they return. */
export const interrupted = signal<Person | undefined>(undefined);

/** The last person, also while nobody is signed in. */
let lastId: number | undefined;
let position: number | undefined;
let forget = () => {};

/** Tabs tell each other who signs in and out, and that somebody is there. */
const tabs = new BroadcastChannel('petstore-session');

/** Finds out who is signed in. Throws a `PetstoreError` if the service cannot say. */
export async function findPerson(): Promise<void> {
  try {
    await loadPerson();
  } catch (error) {
    // The service has said that nobody is.
    if (person.value !== null) throw error;
  }
}

async function loadPerson(): Promise<void> {
  const { key, plan } = await store.usage.get();
  const isStaff = plan === 'staff';
  const isOther = lastId !== key.id;
  // Before pages load, so that no change after it is missed.
  const [newest, own] = await Promise.all([
    store.events.position({ signal: AbortSignal.timeout(START_WAIT_MS) }).catch(() => undefined),
    isStaff && isOther ? ownLanguage().catch(() => undefined) : undefined,
  ]);
  position = newest;
  if (isOther && lastId !== undefined) forget();
  lastId = key.id;
  const language = isOther ? own : person.peek()?.language;
  // What the person was about to do in an interrupted session is not lost to another language.
  if (isOther && language !== undefined) chooseLanguage(language);
  batch(() => {
    interrupted.value = undefined;
    person.value = { ...key, isStaff, language };
  });
}

/** The position of the newest event when the person was found; undefined if it is not known. */
export function positionAtSignIn(): number | undefined {
  return position;
}

/** Signs in. Throws a `PetstoreError`. */
export async function signIn(proof: Proof): Promise<void> {
  await openSession(proof);
  await loadPerson();
  tabs.postMessage('changed');
}

/** Signs out. Throws a `PetstoreError`, and then the session remains. */
export async function signOut(): Promise<void> {
  await closeSession();
  noteSignOut();
  tabs.postMessage('signed out');
}

/** Nobody is signed in; whose session has ended by itself may return to their unfinished work. */
function noteSignOut(whose?: Person): void {
  batch(() => {
    interrupted.value = whose;
    person.value = null;
  });
}

/** Chooses the language of the person: in their account, or in this browser for a key. Throws a `PetstoreError`. */
export async function changeLanguage(wanted: Language | null): Promise<void> {
  if (person.value?.isStaff) {
    await changeOwnLanguage(wanted);
    person.value = { ...person.value, language: wanted };
  }
  chooseLanguage(wanted);
}

/** Returns whether the person may do what needs this scope. */
export function may(scope: Scope): boolean {
  const scopes = (person.value ?? interrupted.value)?.scopes ?? [];
  const includes = (own: Scope) =>
    own !== 'webhooks' && SCOPES.indexOf(own) >= SCOPES.indexOf(scope);
  return scopes.some((own) => own === scope || includes(own));
}

/** Ends the session of the person, and keeps their unfinished work. */
const interrupt = () => noteSignOut(person.value ?? interrupted.value);

/** Starts to listen to the service and to other tabs. Calls back before another person appears. */
export function watchSession(whenOther: () => void): void {
  forget = whenOther;
  whenSignedOut(interrupt);
  tabs.addEventListener('message', ({ data }) => {
    if (data === 'used') lastUse = Date.now();
    else if (data !== 'signed out') void findPerson().catch(() => {});
    // What was typed here is nothing that the person in the other tab wanted to lose.
    else if (document.querySelector('[data-touched]')) interrupt();
    else noteSignOut();
  });
}

/** As long as the service waits for a request. */
const IDLE_MS = 8 * 60 * 60 * 1_000;
const CHECK_MS = 60_000;
const SIGNS_OF_USE = ['pointerdown', 'keydown', 'wheel'] as const;

let lastUse = Date.now();
let lastTold = 0;

/** Starts to watch for signs of use in all tabs. */
export function watchUse(): void {
  for (const sign of SIGNS_OF_USE) addEventListener(sign, noteUse, { passive: true });
  // To sign in is a sign of use too.
  effect(() => {
    if (person.value) noteUse();
  });
  setInterval(() => {
    if (person.value && Date.now() - lastUse > IDLE_MS) void signOut().catch(() => {});
  }, CHECK_MS);
}

function noteUse(): void {
  lastUse = Date.now();
  if (lastUse - lastTold < CHECK_MS) return;
  lastTold = lastUse;
  tabs.postMessage('used');
}
