import { anchorOf } from './markdown.ts';

/** A section of a guide, in plain text. */
interface Section {
  /** With an anchor, unless it is what precedes the first heading. */
  readonly address: string;
  readonly guide: string;
  readonly title: string;
  readonly text: string;
}

/** A section with what was searched for. */
export interface Found extends Section {
  /** A part of the text, cut at its matches: every second piece is one. */
  readonly excerpt: readonly string[];
}

/** Characters that a search may have, and words that it uses. */
export const SEARCH_MAX = 100;
const WORDS_MAX = 8;
/** Characters of an excerpt before its first match, and in all. */
const BEFORE = 60;
const EXCERPT = 220;

/** What a match counts for, by where it is. Matches in the text count up to the last of these. */
const IN_GUIDE = 6;
const IN_TITLE = 10;
const IN_TEXT_MAX = 5;

/**
 * Creates the search in guides by their paths. A section is found by the beginnings of its words, best
 * first; those with all words of the search, or if none has, with most of them.
 */
export function createSearch(guides: ReadonlyMap<string, string>): (query: string) => Found[] {
  const sections = [...guides].flatMap(([path, text]) => sectionsOf(path, text));

  return (query) => {
    // Single letters, such as "a", are everywhere.
    const words = [...new Set(query.match(/\S{2,}/g))].slice(0, WORDS_MAX);
    if (words.length === 0) return [];
    const patterns = words.map((word) => startOfWord(RegExp.escape(word)));
    const any = startOfWord(`(${words.map((word) => RegExp.escape(word)).join('|')})`);
    const ranked = sections.map((section) => {
      const scores = patterns.map((pattern) => scoreOf(section, pattern)).filter(Boolean);
      return { section, matched: scores.length, score: scores.reduce((a, b) => a + b, 0) };
    });
    const most = Math.max(...ranked.map(({ matched }) => matched), 1);
    return ranked
      .filter(({ matched }) => matched === most)
      .sort((a, b) => b.score - a.score)
      .map(({ section }) => ({ ...section, excerpt: excerptOf(section.text, any) }));
  };
}

function startOfWord(source: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${source}`, 'giu');
}

function scoreOf({ guide, title, text }: Section, word: RegExp): number {
  const inText = Math.min(text.match(word)?.length ?? 0, IN_TEXT_MAX);
  const inTitle = title.match(word) === null ? 0 : IN_TITLE;
  return inText + inTitle + (guide.match(word) === null ? 0 : IN_GUIDE);
}

function excerptOf(text: string, word: RegExp): string[] {
  const first = Math.max(0, text.search(word));
  const start = first <= BEFORE ? 0 : text.indexOf(' ', first - BEFORE) + 1;
  const isWhole = start + EXCERPT >= text.length;
  const end = isWhole ? text.length : text.lastIndexOf(' ', start + EXCERPT);
  const cut = `${start > 0 ? '… ' : ''}${text.slice(start, end)}${isWhole ? '' : ' …'}`;
  return cut.split(word);
}

/** Reads the Markdown itself: to render all guides first would keep other requests waiting. */
function sectionsOf(path: string, markdown: string): Section[] {
  const [guide = '', ...lines] = markdown.replace(/^# /, '').split('\n');
  const sections = [{ address: path, title: '', lines: [] as string[] }];
  let isCode = false;
  for (const line of lines) {
    if (line.startsWith('```')) isCode = !isCode;
    const heading = isCode ? undefined : /^##+ (.+)$/.exec(line)?.[1];
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else
      sections.push({ address: `${path}#${anchorOf(heading)}`, title: plain(heading), lines: [] });
  }
  return sections.map(({ lines: own, ...section }) => {
    return { ...section, guide, text: plain(own.join('\n')) };
  });
}

/** Removes the syntax of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replace(/^(?:```.*|\|[-|]+\|)$/gm, '')
    .replace(/\[([^\]]+)\]\([^)\s]+\)/g, '$1')
    .replace(/^(?:- |\| )|[`*|]/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
