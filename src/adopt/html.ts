/** Text that is HTML already. Only `html` and the writer of structured data make it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** What may stand in a template: false, null and undefined are nothing, a list is its items in a row. */
export type Part = Html | string | number | bigint | false | null | undefined | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const SPECIAL = /[&<>"']/g;
/** XML 1.0 has no place for these, and HTML no use. */
const UNWRITABLE = /[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu;

/** Characters that may have to be written in another way: most texts have none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const OTHERWISE = /[&<>"'\0-\x1F\x7F-\x9F\uD800-\uDFFF\uFFFE\uFFFF]/;

/** Escapes text for HTML and XML, in elements and in quoted attributes. */
export function escapeText(text: string): string {
  if (!OTHERWISE.test(text)) return text;
  return text
    .toWellFormed()
    .replace(UNWRITABLE, '\uFFFD')
    .replace(SPECIAL, (character) => ENTITIES[character] ?? '');
}

/** A template whose parts are escaped, unless they are HTML. Also for XML. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = texts[0] ?? '';
  for (let n = 0; n < parts.length; n++) text += written(parts[n]) + (texts[n + 1] ?? '');
  return new Html(text);
}

function written(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === null || part === undefined || part === false) return '';
  if (Array.isArray(part)) return part.map(written).join('');
  return escapeText(String(part));
}

/** Data for programs in a page. A `<` could end its element. */
export function structuredData(value: unknown): Html {
  const text = JSON.stringify(value).replaceAll('<', '\\u003c');
  return new Html(`<script type="application/ld+json">${text}</script>`);
}
