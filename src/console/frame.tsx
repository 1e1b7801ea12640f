import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from './components/button.tsx';
import { confirm, Questions } from './components/dialog.tsx';
import { Icon, type IconName } from './components/icon.tsx';
import { PrintedSheets } from './components/print.tsx';
import { sameControl } from './components/table.tsx';
import { busyUntil, isLost, lastSeen, tryAgain } from './connection.ts';
import { explain } from './failures.ts';
import { count, formatTime } from './format.ts';
import { t, translate } from './language.ts';
import { Notices, notify } from './notices.tsx';
import { discard, sendAgain, unsent, WANTED_MS } from './outbox.tsx';
import type { PageEntry } from './pages.ts';
import { path } from './router.ts';
import { type Person, signOut } from './session.ts';

interface FrameProps {
  readonly entries: readonly PageEntry[];
  readonly person: Person;
  /** Whether the person has to sign in again before they see it. */
  readonly isHidden: boolean;
  readonly children: ComponentChildren;
}

/** The frame of every page: the navigation, messages, questions and what is not sent yet. */
export function Frame({ entries, person, isHidden, children }: FrameProps) {
  const listed = entries.filter(({ isInner, isUnlisted }) => !isInner && !isUnlisted);
  return (
    <div class="frame" data-hidden={isHidden}>
      <a class="page-skip" href="#main">{t`Skip to content`}</a>
      <header class="frame-bar">
        <a class="frame-brand" href="/console">
          <Icon name="animals" />
          {t`Petstore`}
        </a>
        <nav class="frame-pages" aria-label={t`Pages`}>
          <ul>
            {listed.map((entry) => (
              <PageLink key={entry.path} entry={entry} />
            ))}
            <More entries={listed} person={person} />
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
      <Questions />
      <PrintedSheets />
    </div>
  );
}

const FOCUS_AFTER_MS = 100;

/**
 * Keeps the place of people who work by keyboard. If what had the focus goes away, as the form of a
 * sign-in does, the focus moves to the row that takes the place of its row, or else to the page.
 */
export function keepFocus(): () => void {
  let last: HTMLElement | null = null;
  let place = -1;
  const note = ({ target }: FocusEvent) => {
    last = target instanceof HTMLElement ? target : null;
    place = last?.closest<HTMLTableRowElement>('#main tbody tr')?.sectionRowIndex ?? -1;
  };
  const observer = new MutationObserver(() => {
    if (!last || last.isConnected) return;
    const gone = last;
    last = null;
    // What takes its place may want the focus itself.
    setTimeout(() => {
      if (document.activeElement !== document.body) return;
      const rows = [...document.querySelectorAll('#main tbody tr')];
      const row = place < 0 ? undefined : (rows[place] ?? rows.at(-1));
      const next = row ? sameControl(row, gone) : document.querySelector<HTMLElement>('#main');
      next?.focus({ preventScroll: row === undefined });
    }, FOCUS_AFTER_MS);
  });
  addEventListener('focusin', note);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    removeEventListener('focusin', note);
    observer.disconnect();
  };
}

function PageLink({ entry }: { readonly entry: PageEntry }) {
  const isInside = path.value.startsWith(`${entry.path}/`) && entry.path !== '/console';
  const isCurrent = entry.path === path.value ? 'page' : isInside;
  return (
    <li>
      <a href={entry.path} aria-current={isCurrent || undefined}>
        <Icon name={entry.icon} />
        {translate(entry.name)}
      </a>
    </li>
  );
}

/** Pages that a phone has in its bar. */
const IN_BAR = 4;

/** On a phone: the pages that have no room, and who is signed in. */
function More({ entries, person }: Pick<FrameProps, 'entries' | 'person'>) {
  const list = useRef<HTMLDivElement>(null);
  const { value: current } = path;
  useEffect(() => list.current?.hidePopover(), [current]);
  const isInside = entries.slice(IN_BAR).some((entry) => entry.path === current);
  return (
    <li class="frame-more">
      <button type="button" popovertarget="more-pages" data-current={isInside}>
        <Icon name="more" />
        {t`More`}
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
      <a href="/console/account" aria-label={t`${person.name}: your account`}>
        {person.name}
      </a>
      <Button kind="quiet" icon="signOut" onClick={leave}>{t`Sign out`}</Button>
    </div>
  );
}

async function leave() {
  const waiting = unsent.value;
  const lost = waiting.filter(({ isKept }) => !isKept).length;
  const question = {
    title: t`Sign out before ${count(waiting.length, 'change is', 'changes are')} sent?`,
    text:
      lost > 0
        ? t`${count(lost, 'change is', 'changes are')} lost if you sign out now.`
        : t`This browser keeps what is not sent, and sends it when you sign in here again.`,
    action: t`Sign out`,
  };
  if (waiting.length > 0 && !(await confirm(question))) return;
  signOut().catch((error) => notify(t`You are still signed in. ${explain(error)}`));
}

/** Says that the service cannot be reached, or waits. Goes away by itself. */
function ConnectionBanner() {
  return (
    <div role="status">
      {isLost.value && (
        <Banner icon="offline">
          <p>{t`The service cannot be reached. What you see was loaded before ${formatTime(lastSeen.value)}.`}</p>
          <Button onClick={tryAgain}>{t`Try again`}</Button>
        </Banner>
      )}
      {busyUntil.value !== undefined && (
        <Banner icon="warning">
          <p>{t`Too many requests were sent. The console goes on by itself at ${formatTime(busyUntil.value)}.`}</p>
        </Banner>
      )}
    </div>
  );
}

function Banner(props: { readonly icon: IconName; readonly children: ComponentChildren }) {
  return (
    <div class="row spread banner">
      <Icon name={props.icon} />
      {props.children}
    </div>
  );
}

function stateSince(at: number): string {
  return Date.now() - at > WANTED_MS
    ? t`Older than a day: send it if it is still right`
    : t`Not sent yet`;
}

function Outbox() {
  const items = unsent.value;
  if (items.length === 0) return null;
  return (
    <section class="row spread banner outbox" aria-label={t`Not sent yet`}>
      <ul>
        {items.map(({ id, label, at, isSending, refusal }) => (
          <li key={id} class="row">
            <span>
              {label}
              <small>{refusal ?? (isSending ? t`Sending…` : stateSince(at))}</small>
            </span>
            <Button
              label={t`Try again: ${label}`}
              isDisabled={isSending}
              onClick={() => sendAgain(id)}
            >{t`Try again`}</Button>
            <Button
              kind="quiet"
              label={t`Discard: ${label}`}
              onClick={() => discard(id)}
            >{t`Discard`}</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
