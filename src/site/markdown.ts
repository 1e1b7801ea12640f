import { Marked, type Token, type Tokens } from 'marked';

/** A section of a guide, by its heading. */
export interface Section {
  readonly depth: number;
  readonly id: string;
  readonly title: string;
}

/** A rendered guide. */
interface Rendered {
  readonly title: string;
  readonly sections: readonly Section[];
  readonly html: string;
}

/** Languages and labels of code blocks, by the word after the opening fence. */
const FENCES: Readonly<Record<string, { readonly language: string; readonly label: string }>> = {
  sh: { language: 'bash', label: 'Shell' },
  ts: { language: 'typescript', label: 'TypeScript' },
  js: { language: 'typescript', label: 'JavaScript' },
  jsx: { language: 'typescript', label: 'JSX' },
  html: { language: 'xml', label: 'HTML' },
  py: { language: 'python', label: 'Python' },
  json: { language: 'json', label: 'JSON' },
  http: { language: 'http', label: 'HTTP' },
  text: { language: '', label: 'Output' },
};

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
    // Code and tables can be wider than a phone, so they scroll on their own, also by keyboard.
    code({ text, lang = '' }) {
      const [name = ''] = lang.split(' ');
      const { language = '', label = '' } = FENCES[name] ?? {};
      const html = highlight(text, language);
      return `<div class="code" data-label="${label}"><pre tabindex="0"><code>${html}</code></pre></div>\n`;
    },
    table(token: Tokens.Table) {
      const cell = ({ tokens, text, header }: Tokens.TableCell) => {
        // An empty cell is not a heading.
        const tag = header && text !== '' ? 'th' : 'td';
        return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
      };
      const row = (cells: readonly Tokens.TableCell[]) => `<tr>${cells.map(cell).join('')}</tr>\n`;
      return `<div class="table" tabindex="0"><table>
<thead>${row(token.header)}</thead>
<tbody>${token.rows.map(row).join('')}</tbody></table></div>\n`;
    },
  },
});

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';

/** Renders a guide, whose text starts with its title as `# Title`. */
export function renderMarkdown(text: string): Rendered {
  const tokens = marked.lexer(text);
  const [title, ...headings] = tokens.filter(isHeading);
  const sections = headings.map(({ depth, text }) => ({
    depth,
    id: anchorOf(text),
    title: plain(text),
  }));
  return { title: title?.text ?? '', sections, html: marked.parser(tokens) };
}

/** Removes Markdown syntax from a heading. */
function plain(heading: string): string {
  return heading.replace(/[`*]/g, '');
}

/** Returns the same anchor for a heading that GitHub uses. */
export function anchorOf(heading: string): string {
  const words = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return words.replace(/\s/g, '-');
}

/** Turns a link between the guides' files into one between their pages. */
function pathOf(href: string): string {
  const [, name, anchor = ''] = /^(?:\.\/)?([a-z-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name !== undefined) return `/docs/${name}${anchor}`;
  if (href === 'README.md') return '/docs/guides';
  if (href === 'README.md#reference') return '/docs';
  return href === '../../openapi.json' ? '/openapi.json' : href;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Escapes text for an HTML element or an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** The used part of highlight.js, whose own types would pull in those of a browser. */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void;
  getLanguage(name: string): object | undefined;
  highlight(code: string, options: { readonly language: string }): { readonly value: string };
}

// `import` would bring in those types. The paths are literal for the bundler.
const highlighter: Highlighter = require('highlight.js/lib/core');
highlighter.registerLanguage('bash', require('highlight.js/lib/languages/bash'));
highlighter.registerLanguage('http', require('highlight.js/lib/languages/http'));
highlighter.registerLanguage('json', require('highlight.js/lib/languages/json'));
highlighter.registerLanguage('python', require('highlight.js/lib/languages/python'));
highlighter.registerLanguage('typescript', require('highlight.js/lib/languages/typescript'));
highlighter.registerLanguage('xml', require('highlight.js/lib/languages/xml'));

/** Renders code as HTML, highlighted if the guides use its language. */
export function highlight(code: string, language: string): string {
  if (highlighter.getLanguage(language) === undefined) return escapeHtml(code);
  return highlighter.highlight(code, { language }).value;
}
