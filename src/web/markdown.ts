import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from './escape.ts';

/** A guide's title, and its text as HTML. */
export interface Rendered {
  readonly title: string;
  readonly html: string;
}

const marked = new Marked({
  renderer: {
    heading({ depth, tokens, text }) {
      const inner = this.parser.parseInline(tokens);
      if (depth === 1) return `<h1>${inner}</h1>\n`;
      const id = anchorOf(text);
      return `<h${depth} id="${id}"><a href="#${id}">${inner}</a></h${depth}>\n`;
    },
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens);
      return `<a href="${escapeHtml(pathOf(href))}">${inner}</a>`;
    },
    // What can be wider than a phone scrolls by itself, and by keyboard.
    code({ text }) {
      return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
    },
    table(token: Tokens.Table) {
      const row = (cells: readonly Tokens.TableCell[], tag: string) =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>\n`;
      const rows = token.rows.map((cells) => row(cells, 'td')).join('');
      return `<div class="table" tabindex="0"><table>
<thead>${row(token.header, 'th')}</thead>
<tbody>${rows}</tbody></table></div>\n`;
    },
  },
});

/** Renders the text of a guide, which begins with its title as `# Title`. */
export function renderMarkdown(text: string): Rendered {
  const tokens = marked.lexer(text);
  const title = tokens.find((token: Token) => token.type === 'heading');
  return { title: title?.type === 'heading' ? title.text : '', html: marked.parser(tokens) };
}

/** The anchor that GitHub, too, gives to a heading. */
export function anchorOf(heading: string): string {
  const words = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return words.replace(/\s/g, '-');
}

/** A link between the guides' files as a link between their pages. */
function pathOf(href: string): string {
  const [, name, anchor = ''] = /^(?:\.\/)?([a-z-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name !== undefined) return `/docs/${name}${anchor}`;
  if (href === 'README.md') return '/';
  if (href === 'README.md#reference') return '/docs';
  return href === '../../openapi.json' ? '/openapi.json' : href;
}
