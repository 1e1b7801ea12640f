import { Marked } from 'marked';

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
  const examples: Example[] = [];
  let comment = '';
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'code') {
      examples.push({
        language: String(token['lang'] ?? ''),
        options: optionsIn(comment),
        text: String(token['text']),
      });
    }
    comment = token.type === 'html' ? token.raw : '';
  }
  return examples;
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
