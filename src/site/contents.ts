import { escapeHtml } from './escape.ts';

/** A section of a guide, by its heading. */
export interface Section {
  readonly depth: number;
  readonly id: string;
  readonly title: string;
}

/** A page with fewer sections needs no contents. */
const SECTIONS_MIN = 2;

/** Renders the contents of a page: a column if there is room, else a list behind a button. */
export function contents(sections: readonly Section[]): string {
  if (sections.length < SECTIONS_MIN) return '';
  const items = sections.map(
    ({ depth, id, title }) => `<li data-depth="${depth}"><a href="#${id}">${escapeHtml(title)}</a>`,
  );
  return `<button class="contents-menu" type="button" popovertarget="contents">On this page</button>
<nav class="contents" id="contents" aria-label="On this page" popover>
<p>On this page</p>
<ul>
${items.join('\n')}
</ul>
</nav>
`;
}
