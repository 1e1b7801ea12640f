import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatNumber } from '../format.ts';
import { language, t } from '../language.ts';
import type { Topic } from '../live.ts';
import { type Loaded, type ReloadOptions, useLoaded } from '../loading.ts';
import { hasMoved, navigate, query, trail, withQuery } from '../router.ts';
import type { List, Page } from '../service.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { WhenLoaded } from './states.tsx';
import { Table, type TableProps } from './table.tsx';

/** Leads from one thing to the list of all. */
export function BackLink({ to, name }: { readonly to: string; readonly name: string }) {
  return (
    <a class="page-back" href={`/console/${to}`}>
      <Icon name="back" />
      {name}
    </a>
  );
}

interface PageHeaderProps {
  readonly title: string;
  /** Buttons for the page as a whole. */
  readonly children?: ComponentChildren;
}

/** The heading of a page. It names the tab, and gets the focus when the person comes to the page. */
export function PageHeader({ title, children }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = t`${title} · Petstore`;
  }, [title]);
  useEffect(() => {
    if (hasMoved()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header class="row spread page-heading">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <div class="row page-actions">{children}</div>
    </header>
  );
}

/** A page of a list as it is shown. */
export type Listed<T> = Omit<Page<T>, 'next'>;

interface PagedTableProps<T> extends Omit<TableProps<T>, 'items'> {
  readonly from: Loaded<Listed<T>>;
  /** Shown if the list is empty. */
  readonly empty?: ComponentChildren;
}

/** A page of a list, and the way to the others. The caption names the list. */
export function PagedTable<T>({ from, empty, ...table }: PagedTableProps<T>) {
  return (
    <WhenLoaded from={from}>
      {(page) => (
        <>
          {page.items.length === 0 && currentCursor() === undefined && empty}
          {page.items.length > 0 && <Table items={page.items} {...table} />}
          <Pager
            name={language === 'en' ? table.caption.toLowerCase() : table.caption}
            page={page}
          />
        </>
      )}
    </WhenLoaded>
  );
}

interface ListPageProps<T> extends PagedTableProps<T> {
  /** What the page is for. */
  readonly lead?: string;
  /** The button that adds to the list. */
  readonly add?: { readonly label: string; readonly onClick: () => void } | undefined;
  readonly children?: ComponentChildren;
}

/** A page with a list. Its caption is the heading too. */
export function ListPage<T>({ lead, add, children, ...list }: ListPageProps<T>) {
  return (
    <>
      <PageHeader title={list.caption}>
        {add && (
          <Button kind="primary" icon="add" onClick={add.onClick}>
            {add.label}
          </Button>
        )}
      </PageHeader>
      {lead && <p class="page-lead">{lead}</p>}
      <PagedTable {...list} />
      {children}
    </>
  );
}

/** Loads the page of a list that the address names. */
export function usePage<T>(
  list: (options: { readonly signal: AbortSignal }) => List<T>,
  topics: readonly Topic[],
  inputs: readonly unknown[] = [],
  options?: ReloadOptions,
): Loaded<Listed<T>> {
  const cursor = currentCursor();
  return useLoaded((signal) => list({ signal }).page(cursor), [...inputs, cursor], topics, options);
}

/** Returns the cursor of the current page; undefined on the first one. */
export function currentCursor(): string | undefined {
  return query.value.get('page') ?? undefined;
}

interface PagerProps {
  readonly page: Listed<unknown>;
  /** What is paged, for the name of the navigation: `animals`. */
  readonly name: string;
  /** Items on a full page, if that can be chosen. */
  readonly size?: number;
  readonly children?: ComponentChildren;
}

/** Leads through the pages of a list. The page is in the address, the way back in the history. */
export function Pager({ page: { items, nextCursor: next, total }, name, ...props }: PagerProps) {
  const current = currentCursor();
  const before = trail.value;
  const hasPages = current !== undefined || next !== undefined;
  if (!hasPages && total === undefined) return null;

  function show(cursor: string | undefined, way: readonly string[]) {
    navigate(withQuery({ page: cursor }), 'push', way);
    scrollTo(0, 0);
  }

  // Without a way back, as after a shared link, only the first page can be found.
  const hasWay = before.length > 0 || current === undefined;
  const back = () => show(before.at(-1) || undefined, before.slice(0, -1));
  // Until the page is loaded, `next` is still the one that leads to it.
  const hasNext = next !== undefined && next !== current;
  const forward = () => hasNext && show(next, [...before, current ?? '']);
  const start = before.length * (props.size ?? items.length);
  const all = total !== undefined && `${formatNumber(total)} ${name}`;
  const range = `${formatNumber(start + 1)}–${formatNumber(start + items.length)}`;
  return (
    <nav class="row pager" aria-label={t`Pages of ${name}`}>
      {all && <p>{hasWay && hasPages ? t`${range} of ${all}` : all}</p>}
      {props.children}
      {hasPages && (
        <>
          <Button isDisabled={current === undefined} onClick={back}>
            {hasWay ? t`Previous` : t`First page`}
          </Button>
          <Button isDisabled={!hasNext} onClick={forward}>{t`Next`}</Button>
        </>
      )}
    </nav>
  );
}
