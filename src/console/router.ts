/** The page and its state, from the address. Back, reload and a shared link show the same. */
import { computed, signal } from '@preact/signals';

/** Adds a step to the browser's history, or changes the current one. */
export type Step = 'push' | 'replace';

/** New values of query parameters. A parameter without a value is removed. */
export type QueryChanges = Readonly<Record<string, string | undefined>>;

const address = signal(new URL(location.href));
let moves = 0;

/** The path of the current page. */
export const path = computed(() => address.value.pathname);

/** The query parameters of the address. Components that read it are rendered again on a change. */
export const query = computed(() => address.value.searchParams);

/** Returns whether the page was opened from within the console, so that its heading gets focus. */
export function hasMoved(): boolean {
  return moves > 0;
}

/** Shows an address of the console. */
export function navigate(to: string | URL, step: Step = 'push'): void {
  const target = new URL(to, location.href);
  if (step === 'replace') history.replaceState(history.state, '', target);
  else if (target.href !== location.href) history.pushState(null, '', target);
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

/** Changes query parameters and keeps the others. */
export function setQuery(changes: QueryChanges, step: Step = 'push'): void {
  navigate(withQuery(changes), step);
}

/** Starts to follow links and the browser's back and forward buttons. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    if (location.pathname !== address.value.pathname) moves++;
    address.value = new URL(location.href);
  });
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || !isOwn(link) || !isPlain(event)) return;
    event.preventDefault();
    navigate(link.href);
  });
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
