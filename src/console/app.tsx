import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { ErrorState, LoadingState } from './components/states.tsx';
import { isLost } from './connection.ts';
import { Explained, failureOf } from './failures.ts';
import { Frame, keepFocus } from './frame.tsx';
import { t } from './language.ts';
import { PAGES, type PageEntry } from './pages.ts';
import { animalAt, path } from './router.ts';
import type { PetstoreError } from './service.ts';
import { findPerson, interrupted, may, person } from './session.ts';
import { Invitation, SignIn } from './sign-in.tsx';

/** The console: the page of the address, or the sign-in page. */
export function App() {
  const [failure, setFailure] = useState<PetstoreError>();

  function start() {
    setFailure(undefined);
    // The code of the page comes while the service says who is signed in.
    entryAt(PAGES)
      ?.load()
      .catch(() => {});
    // When nothing else is to do, that of all, so that each opens without a network.
    const laterAll = () => void setTimeout(loadAll, 1_000);
    findPerson().then(laterAll, (error) => setFailure(failureOf(error)));
  }
  useEffect(start, []);
  useEffect(keepFocus, []);

  // Also for somebody whose browser is signed in as another person.
  if (path.value === '/console/invitation') return <Invitation />;
  const shown = person.value ?? interrupted.value;
  if (shown !== undefined) {
    const entries = PAGES.filter(({ needs }) => needs === undefined || may(needs));
    const entry = entryAt(entries);
    return (
      <>
        <Frame entries={entries} person={shown} isHidden={!person.value}>
          {entry === undefined ? (
            <NoPage isKnown={entryAt(PAGES) !== undefined} />
          ) : (
            <LazyPage key={`${path.value} ${shown.id}`} entry={entry} />
          )}
        </Frame>
        {!person.value && <SignIn isReturn />}
      </>
    );
  }
  if (person.value === null) return <SignIn />;
  if (failure === undefined) return <LoadingState />;
  return (
    <main class="page" id="main">
      <ErrorState error={failure} retry={start} />
    </main>
  );
}

function entryAt(entries: readonly PageEntry[]): PageEntry | undefined {
  const isInner = animalAt(path.value) !== undefined;
  const place = isInner ? '/console/animals' : path.value.replace(/\/$/, '');
  return entries.find((one) => one.path === place && (one.isInner ?? false) === isInner);
}

const loadAll = () => PAGES.map((entry) => entry.load().catch(() => {}));

function LazyPage({ entry }: { readonly entry: PageEntry }) {
  const [Page, setPage] = useState<ComponentType>();
  const [isMissing, setMissing] = useState(false);
  // A page that cannot be drawn must not be an empty one.
  const [broken] = useErrorBoundary();

  function load() {
    setMissing(false);
    entry.load().then(
      (module) => setPage(() => module.default),
      () => setMissing(true),
    );
  }
  // When the network is back, again.
  useEffect(load, [isLost.value]);

  if (isMissing || broken !== undefined) {
    const error = isMissing ? NOT_LOADED : failureOf(broken);
    const reload = () => location.reload();
    return <ErrorState error={error} retry={reload} action={t`Reload the tab`} />;
  }
  return Page === undefined ? <LoadingState /> : <Page />;
}

const NOT_LOADED = new Explained(
  t`The service may have been updated, or the network may be gone.`,
  { code: 'route_not_found' },
);

/** Shown in the place of a page that is not there, or not for this person. */
function NoPage({ isKnown }: { readonly isKnown: boolean }) {
  const [title, text] = isKnown
    ? [t`You do not have access to this page`, t`Ask a manager for access.`]
    : [t`Page not found`, t`The address may be misspelt, or the page may have moved.`];
  return (
    <section class="state">
      <h1>{title}</h1>
      <p>{text}</p>
      <a class="button" href="/console">{t`Go to the overview`}</a>
    </section>
  );
}
