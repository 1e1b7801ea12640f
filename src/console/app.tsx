import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorState } from './components/error-state.tsx';
import { LoadingState } from './components/loading-state.tsx';
import { Frame } from './frame.tsx';
import { failureOf } from './loading.ts';
import { PAGES, type PageEntry } from './pages.ts';
import { path } from './router.ts';
import { PetstoreError } from './service.ts';
import { findPerson, may, person } from './session.ts';
import { SignIn } from './sign-in.tsx';

/** The console: the page of the address, or the sign-in page. */
export function App() {
  const [failure, setFailure] = useState<PetstoreError>();

  function start() {
    setFailure(undefined);
    // The code of the page comes while the service says who is signed in.
    entryAt(PAGES)
      ?.load()
      .catch(() => {});
    findPerson().catch((error) => setFailure(failureOf(error)));
  }
  useEffect(start, []);

  if (person.value === null) return <SignIn />;
  if (failure !== undefined && person.value === undefined) {
    return (
      <main class="page" id="main">
        <ErrorState error={failure} retry={start} />
      </main>
    );
  }
  if (person.value === undefined) return <LoadingState />;
  const entries = PAGES.filter(({ needs }) => needs === undefined || may(needs));
  const entry = entryAt(entries);
  return (
    <Frame entries={entries} person={person.value}>
      {entry === undefined ? (
        <NotAllowed />
      ) : (
        <LazyPage key={`${entry.path} ${person.value.id}`} entry={entry} />
      )}
    </Frame>
  );
}

/** Returns the page of the address. */
function entryAt(entries: readonly PageEntry[]): PageEntry | undefined {
  return entries.find((one) => one.path === path.value.replace(/\/$/, ''));
}

/** Shows a page when its code has been loaded. */
function LazyPage({ entry }: { readonly entry: PageEntry }) {
  const [Page, setPage] = useState<ComponentType>();
  const [isMissing, setMissing] = useState(false);

  useEffect(() => {
    entry.load().then(
      (module) => setPage(() => module.default),
      () => setMissing(true),
    );
  }, []);

  // A browser does not load code again that it could not load once.
  if (isMissing) {
    return (
      <ErrorState error={NOT_LOADED} retry={() => location.reload()} action="Reload the tab" />
    );
  }
  return Page === undefined ? <LoadingState /> : <Page />;
}

const NOT_LOADED = new PetstoreError(
  'The service may have been updated, or the network may be gone.',
  { code: 'route_not_found' },
);

function NotAllowed() {
  return (
    <section class="state">
      <h1>Only administrators see this page</h1>
      <p>
        Your key may not manage keys and webhooks. Ask an administrator, or sign in with another
        key.
      </p>
      <a class="button" href="/console">
        Go to the overview
      </a>
    </section>
  );
}
