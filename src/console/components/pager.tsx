import { navigate, query, trail, withQuery } from '../router.ts';

/** The query parameter with the cursor of the current page. */
export const PAGE_PARAMETER = 'page';

interface PagerProps {
  /** The cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
  /** What is paged, for the name of the navigation: `Animals`. */
  readonly name: string;
}

/** Returns the cursor of the current page; undefined on the first one. */
export function currentCursor(): string | undefined {
  return query.value.get(PAGE_PARAMETER) ?? undefined;
}

/** Leads through the pages of a list. The page is in the address, the way back in the history. */
export function Pager({ next, name }: PagerProps) {
  const current = currentCursor();
  const before = trail.value;
  if (current === undefined && next === undefined) return null;

  function show(cursor: string | undefined, way: readonly string[]) {
    navigate(withQuery({ [PAGE_PARAMETER]: cursor }), 'push', way);
    scrollTo(0, 0);
  }

  /** Without a way back, as after a shared link, only the first page can be found. */
  const hasWay = before.length > 0;
  const back = () => show(before.at(-1) || undefined, before.slice(0, -1));
  // Until the page is loaded, `next` is still the one that leads to it.
  const hasNext = next !== undefined && next !== current;
  const forward = () => hasNext && show(next, [...before, current ?? '']);
  return (
    <nav class="pager" aria-label={`Pages of ${name}`}>
      <button
        type="button"
        class="button"
        aria-disabled={current === undefined}
        onClick={() => current !== undefined && back()}
      >
        {hasWay || current === undefined ? 'Previous' : 'First page'}
      </button>
      <button type="button" class="button" aria-disabled={!hasNext} onClick={forward}>
        Next
      </button>
    </nav>
  );
}
