import { Marked, type Token } from 'marked';

/**
 * A fenced block of a guide. The word after its opening fence is the language; a comment before it says how the block is
 * tested, such as `<!-- run: status=400 -->`. CONTRIBUTING.md describes the convention.
 */
export interface Example {
  readonly language: string;
  /** Options such as `status=400`, by name. */
  readonly options: ReadonlyMap<string, string>;
  readonly text: string;
}

const marked = new Marked();

/** Returns the examples in a guide's text, in order. */
export function examplesIn(markdown: string): Example[] {
  return examplesOf(marked.lexer(markdown));
}

/** Those of some tokens, and of the lists among them. */
function examplesOf(tokens: readonly Token[]): Example[] {
  let comment = '';
  return tokens.flatMap((token) => {
    const before = comment;
    comment = token.type === 'html' ? token.raw : '';
    if (token.type === 'code') {
      const language = String(token['lang'] ?? '');
      return [{ language, options: optionsIn(before), text: String(token['text']) }];
    }
    const { items, tokens: inner = [] } = token as { items?: Token[]; tokens?: Token[] };
    return examplesOf(items ?? inner);
  });
}

function optionsIn(comment: string): ReadonlyMap<string, string> {
  const [, options = ''] = /^<!-- run: (.*) -->/.exec(comment) ?? [];
  const pairs = options.split(/\s+/).map((option): [string, string] => {
    const [name = '', value = ''] = option.split('=');
    return [name, value];
  });
  return new Map(pairs.filter(([name]) => name !== ''));
}

/** Compares a text with an example, in which `…` matches anything. */
export function matches(shown: string, text: string): boolean {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}

/** Removes the white space between the tokens of JSON, which may contain a `…`. */
export function compactJson(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, string?: string) => string ?? '');
}
