import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { Marked, type Token } from 'marked';
import { anchorOf } from '../../src/site/markdown.ts';

const ROOT = join(import.meta.dir, '../..');
const START = 'README.md';
const marked = new Marked();

interface Page {
  /** The targets of its links and images, as written. */
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

function read(path: string): Page {
  const links: string[] = [];
  const anchors = new Set<string>();
  const see = (token: Token) => {
    if (token.type === 'link' || token.type === 'image') links.push(token['href']);
    if (token.type === 'heading') anchors.add(anchorOf(token['text']));
    if (token.type === 'html') {
      for (const [, link = ''] of token.raw.matchAll(/(?:href|src)="([^"]*)"/g)) links.push(link);
    }
  };
  void marked.walkTokens(marked.lexer(readFileSync(join(ROOT, path), 'utf8')), see);
  return { links, anchors };
}

/** Resolves a link to a path from the root and an anchor. */
function follow(from: string, link: string): { path: string; anchor: string | undefined } {
  const [target = '', anchor] = link.split('#');
  return { path: target === '' ? from : normalize(join(from, '..', target)), anchor };
}

/** Every page that is reachable from the README through links. */
function walk(): Map<string, Page> {
  const pages = new Map<string, Page>();
  const visit = (path: string): void => {
    if (pages.has(path) || !path.endsWith('.md') || !existsSync(join(ROOT, path))) return;
    const page = read(path);
    pages.set(path, page);
    for (const link of page.links.filter(isInternal)) visit(follow(path, link).path);
  };
  visit(START);
  return pages;
}

/** Every Markdown file of the project. */
const files = ['*.md', '{docs,test,packages}/**/*.md', '{bench,examples}/**/*.md', '.github/*.md']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })])
  .filter((path) => !path.includes('node_modules'));

/** Paths of sources, tests and pages anywhere in the text: `src/main.ts`, `test/api`. */
const FROM_ROOT =
  /(?<![\w./-])(?:src|test|docs|bench|examples|notices|packages|\.ci|\.github)\/[\w./*-]*[\w*/]/g;
/** Paths in backticks, which pages about the code give relative to `src/`: `http/body.ts`. */
const FROM_SOURCES = /(?<=`)[\w-]+(?:\/[\w-]+)+\.(?:ts|sql|lua)(?=`)/g;

function exists(path: string, from: string): boolean {
  if ([ROOT, join(ROOT, 'src'), join(ROOT, from, '..')].some((at) => existsSync(join(at, path)))) {
    return true;
  }
  // A word in capitals is a placeholder: `scalar-VERSION.js.gz`.
  const pattern = path.replace(/(?<=[-/])[A-Z]+(?=[./])/g, '*');
  if (!pattern.includes('*')) return false;
  const matches = new Bun.Glob(pattern).scanSync({ cwd: ROOT, onlyFiles: false });
  return matches.next().done !== true;
}

const isInternal = (link: string) => !/^[a-z]+:/.test(link);
const pages = walk();

describe('the pages of the project', () => {
  test.each([...pages.keys()])('%s has no broken links', (from) => {
    const dead = (pages.get(from)?.links ?? []).filter(isInternal).filter((link) => {
      const { path, anchor } = follow(from, link);
      if (!existsSync(join(ROOT, path))) return true;
      return anchor !== undefined && pages.get(path)?.anchors.has(anchor) !== true;
    });
    expect(dead).toEqual([]);
  });

  test.each(files)('%s names only existing files', (from) => {
    const text = readFileSync(join(ROOT, from), 'utf8');
    const named = [FROM_ROOT, FROM_SOURCES].flatMap((pattern) => text.match(pattern) ?? []);
    expect(named.filter((path) => !exists(path, from))).toEqual([]);
  });

  test('are all reachable from the README', () => {
    const there = ['*.md', 'bench/*.md', 'docs/**/*.md', 'examples/**/*.md'].flatMap((pattern) => [
      ...new Bun.Glob(pattern).scanSync(ROOT),
    ]);
    expect(there).toContain(START);
    expect(there.filter((path) => !pages.has(path))).toEqual([]);
  });
});
