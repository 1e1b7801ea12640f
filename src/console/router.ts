/** The page and its state, from the address. Back, reload and a shared link show the same. */
import { computed, signal } from '@preact/signals';
import type { Int64 } from './service.ts';

/** Adds a step to the browser's history, or changes the current one. */
export type Step = 'push' | 'replace';

/** New values of query parameters. A parameter without a value is removed. */
export type QueryChanges = Readonly<Record<string, string | undefined>>;

interface StepState {
  readonly trail?: readonly string[];
  /** The address of the step before, if the console added this one. */
  readonly from?: string | undefined;
  /** How many steps were added before this one. */
  readonly at?: number;
}

const address = signal(new URL(location.href));
const state = signal<StepState>(history.state ?? {});
let moves = 0;
let isClosing = false;
let keepsPage = () => false;

/** Sets what decides whether the address stays when somebody goes back or forward in the browser. */
export function whenMoving(keeps: () => boolean): void {
  keepsPage = keeps;
}

export const path = computed(() => address.value.pathname);

/** The query parameters of the address. Components that read it are rendered again on a change. */
export const query = computed(() => address.value.searchParams);

/** The cursors of the pages of a list before the current one, the first page as an empty text. */
export const trail = computed(() => state.value.trail ?? []);

/** Returns whether the page was opened from within the console, so that its heading gets focus. */
export function hasMoved(): boolean {
  return moves > 0;
}

/** Shows an address of the console. `way` is the trail to it. */
export function navigate(to: string | URL, step: Step = 'push', way: readonly string[] = []): void {
  const target = new URL(to, location.href);
  const isPush = step === 'push' && target.href !== location.href;
  const from = isPush ? withQuery({}) : state.value.from;
  state.value = { trail: way, from, at: (state.value.at ?? 0) + (isPush ? 1 : 0) };
  if (isPush) history.pushState(state.value, '', target);
  else if (step === 'replace') history.replaceState(state.value, '', target);
  if (target.pathname !== address.value.pathname) {
    moves++;
    scrollTo(0, 0);
  }
  address.value = target;
}

/** Returns the current address with other query parameters: for links. */
export function withQuery(changes: QueryChanges): string {
  const target = new URL(address.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') target.searchParams.delete(name);
    else target.searchParams.set(name, value);
  }
  return target.pathname + target.search;
}

/** Changes query parameters and keeps the others, and the page of a list unless it changes too. */
export function setQuery(changes: QueryChanges, step: Step = 'push'): void {
  navigate(withQuery(changes), step, 'page' in changes ? [] : trail.value);
}

/**
 * Closes the dialog that these query parameters no longer name. If it was opened here, this goes
 * back, so that the back button does not open it again.
 */
export function closeDialog(changes: QueryChanges): void {
  isClosing = state.value.from === withQuery(changes);
  if (isClosing) history.back();
  else setQuery(changes, 'replace');
}

/** Starts to follow links and the browser's back and forward buttons, and to keep the page otherwise. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    const by = (state.value.at ?? 0) - (history.state?.at ?? 0);
    const isKept = by !== 0 && !isClosing && keepsPage();
    isClosing = false;
    if (isKept) return history.go(by);
    if (location.pathname !== address.value.pathname) moves++;
    state.value = history.state ?? {};
    address.value = new URL(location.href);
  });
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || !isOwn(link) || !isPlain(event)) return;
    event.preventDefault();
    navigate(link.href);
  });
  // A browser would open a file that is dropped beside the place for it.
  for (const type of ['dragover', 'drop'] as const) {
    addEventListener(type, (event) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    });
  }
}

/** Returns whether a link leads to a page of the console, in this tab. */
function isOwn(link: HTMLAnchorElement): boolean {
  const isConsole = /^\/console(?:\/|$)/.test(link.pathname) && link.origin === location.origin;
  return isConsole && link.hash === '' && link.target === '' && !link.hasAttribute('download');
}

/** Returns whether a click means "follow the link here": not "open it in a new tab". */
function isPlain(event: MouseEvent): boolean {
  const hasModifier = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  return event.button === 0 && !hasModifier && !event.defaultPrevented;
}

const ANIMAL = /^\/console\/animals\/(-?\d{1,19})\/?$/;

/** Returns the animal whose page a path is, by its id. */
export function animalAt(path: string): Int64 | undefined {
  return readId(ANIMAL.exec(path)?.[1]);
}

/** Returns the number that a text in the address names, or undefined. */
export function readNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Returns the id that a text in the address names, or one that nothing has. */
export const idIn = (text: string): number => readNumber(text) ?? 0;

/** Returns the start of a day in the address, or of one after it, as the service takes it. */
export function startOfDay(name: string, later: number): string | undefined {
  const start = new Date(`${query.value.get(name)}T00:00:00`);
  start.setDate(start.getDate() + later);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

/** Returns the 64-bit id that a text has in decimal, or undefined. */
export function readId(text: string | null | undefined): Int64 | undefined {
  if (!text || !/^-?\d{1,19}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}
