/** What is shown in the place of something that is not there: yet, any more, or at all. */

import type { ComponentChildren } from 'preact';
import { isAway } from '../connection.ts';
import { explain } from '../failures.ts';
import { t } from '../language.ts';
import type { Loaded } from '../loading.ts';
import { withQuery } from '../router.ts';
import type { PetstoreError } from '../service.ts';
import { may } from '../session.ts';
import { Button } from './button.tsx';

export function LoadingState() {
  return <p class="state loading" role="status">{t`Loading…`}</p>;
}

interface ErrorStateProps {
  readonly error: PetstoreError;
  readonly retry: () => void;
  /** The text of the button; by default `Try again`. */
  readonly action?: string;
}

/** Shown in the place of what could not be loaded. */
export function ErrorState({ error, retry, action = t`Try again` }: ErrorStateProps) {
  return (
    <section class="state" role="alert">
      <h2>{t`This could not be loaded`}</h2>
      <p>{explain(error)}</p>
      {error.code === 'invalid_cursor' ? (
        <a class="button" href={withQuery({ page: undefined })}>{t`Go to the first page`}</a>
      ) : (
        <Button onClick={retry}>{action}</Button>
      )}
    </section>
  );
}

interface EmptyStateProps {
  readonly title: string;
  /** What can be done about it. */
  readonly text: string;
  /** Buttons and links to do it. */
  readonly children?: ComponentChildren;
}

/** Shown in the place of a list with nothing in it. */
export function EmptyState({ title, text, children }: EmptyStateProps) {
  return (
    <section class="state">
      <h2>{title}</h2>
      <p>{text}</p>
      {children && <div class="row state-actions">{children}</div>}
    </section>
  );
}

interface SectionProps {
  /** The id of its heading, which names it. */
  readonly id: string;
  readonly title: string;
  readonly kind?: string;
  readonly children: ComponentChildren;
}

/** A part of a page under a heading. */
export function Section({ id, title, kind, children }: SectionProps) {
  return (
    <section class={kind} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** Shown in the place of the animals of a shop that has none: what it starts with. */
export function EmptyShop({ title }: { readonly title: string }) {
  if (!may('write')) {
    const text = t`There are no animals yet. You may only read; ask a manager to add them.`;
    return <EmptyState title={title} text={text} />;
  }
  return (
    <EmptyState
      title={title}
      text={t`There are no animals yet. Bring them in from a file, or add them one by one.`}
    >
      <a class="button primary" href="/console/import">{t`Import a file`}</a>
      <a class="button" href="/console/animals?open=add">{t`Add the first animal`}</a>
    </EmptyState>
  );
}

interface WhenLoadedProps<T> {
  readonly from: Loaded<T>;
  readonly children: (value: NonNullable<T>) => ComponentChildren;
}

/**
 * Shows what was loaded, and why there is nothing newer; until then that it is on its way, or why it
 * cannot be loaded.
 */
export function WhenLoaded<T>({ from: { value, error, reload }, children }: WhenLoadedProps<T>) {
  if (value === undefined || value === null) {
    return error === undefined ? <LoadingState /> : <ErrorState error={error} retry={reload} />;
  }
  return (
    <>
      {/* Without a connection, the frame says so. */}
      {error !== undefined && !isAway.value && (
        <div class="row spread banner" role="alert">
          <p>{explain(error)}</p>
          <Button onClick={reload}>{t`Try again`}</Button>
        </div>
      )}
      {children(value)}
    </>
  );
}

type LoadedSectionProps<T> = Omit<SectionProps, 'children'> & WhenLoadedProps<T>;

/** A part of a page that shows what was loaded. */
export function LoadedSection<T>({ from, children, ...section }: LoadedSectionProps<T>) {
  return (
    <Section {...section}>
      <WhenLoaded from={from}>{children}</WhenLoaded>
    </Section>
  );
}
