import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ConnectionBanner, Outbox } from './components/connection-banner.tsx';
import { Icon } from './components/icon.tsx';
import { Notices } from './components/notice.tsx';
import { failureOf } from './loading.ts';
import { notify } from './notices.ts';
import type { PageEntry } from './pages.ts';
import { questions } from './questions.ts';
import { path } from './router.ts';
import { type Person, signOut } from './session.ts';

/** A phone shows this many pages at the bottom; the others are behind "More". */
const PHONE_PAGES = 4;

interface FrameProps {
  readonly entries: readonly PageEntry[];
  readonly person: Person;
  readonly children: ComponentChildren;
}

/** What surrounds every page: the navigation, and what concerns all of them. */
export function Frame({ entries, person, children }: FrameProps) {
  return (
    <div class="frame">
      <a class="page-skip" href="#main">
        Skip to content
      </a>
      <header class="frame-bar">
        <a class="frame-brand" href="/console">
          <Icon name="animals" />
          Petstore
        </a>
        <nav class="frame-pages" aria-label="Pages">
          <ul>
            {entries.map((entry) => (
              <PageLink key={entry.path} entry={entry} />
            ))}
            <More entries={entries.slice(PHONE_PAGES)} person={person} />
          </ul>
        </nav>
        <SignedIn person={person} />
      </header>
      <main class="page" id="main" tabIndex={-1}>
        <ConnectionBanner />
        <Outbox />
        {children}
      </main>
      <Notices />
      {questions.value.map(({ id, dialog }) => (
        <div key={id}>{dialog}</div>
      ))}
    </div>
  );
}

function PageLink({ entry }: { readonly entry: PageEntry }) {
  return (
    <li>
      <a href={entry.path} aria-current={entry.path === path.value ? 'page' : undefined}>
        <Icon name={entry.icon} />
        {entry.name}
      </a>
    </li>
  );
}

/** On a phone: the pages that have no room, and who is signed in. */
function More({ entries, person }: Pick<FrameProps, 'entries' | 'person'>) {
  const list = useRef<HTMLDivElement>(null);
  const { value: current } = path;
  useEffect(() => list.current?.hidePopover(), [current]);
  const isInside = entries.some((entry) => entry.path === current);
  return (
    <li class="frame-more">
      <button type="button" popovertarget="more-pages" data-current={isInside}>
        <Icon name="more" />
        More
      </button>
      <div id="more-pages" popover="auto" ref={list}>
        <ul>
          {entries.map((entry) => (
            <PageLink key={entry.path} entry={entry} />
          ))}
        </ul>
        <SignedIn person={person} />
      </div>
    </li>
  );
}

function SignedIn({ person }: Pick<FrameProps, 'person'>) {
  return (
    <div class="frame-person">
      <span title="Signed in with this key">{person.name}</span>
      <button type="button" class="button quiet" onClick={leave}>
        <Icon name="signOut" />
        Sign out
      </button>
    </div>
  );
}

function leave() {
  signOut().catch((error) => notify(`You are still signed in. ${failureOf(error).message}`));
}
