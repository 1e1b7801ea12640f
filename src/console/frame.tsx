import type { ComponentChildren } from 'preact';
import { Icon } from './components/icon.tsx';
import { failureOf } from './loading.ts';
import { notify } from './notices.ts';
import type { PageEntry } from './pages.ts';
import { path } from './router.ts';
import { type Person, signOut } from './session.ts';

interface FrameProps {
  readonly entries: readonly PageEntry[];
  readonly person: Person;
  readonly children: ComponentChildren;
}

/** What surrounds every page: the navigation, and who is signed in. */
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
        <Navigation entries={entries} />
        <div class="frame-person">
          <span>{person.name}</span>
          <button type="button" class="button quiet" onClick={leave}>
            <Icon name="signOut" />
            Sign out
          </button>
        </div>
      </header>
      <main class="page" id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function Navigation({ entries }: Pick<FrameProps, 'entries'>) {
  return (
    <nav class="frame-pages" aria-label="Pages">
      <ul>
        {entries.map((entry) => (
          <li key={entry.path}>
            <a href={entry.path} aria-current={entry.path === path.value ? 'page' : undefined}>
              <Icon name={entry.icon} />
              {entry.name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function leave() {
  signOut().catch((error) => notify(`You are still signed in. ${failureOf(error).message}`));
}
