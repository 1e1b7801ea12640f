import { Marked } from 'marked';

/**
 * A fenced block of a guide. The first word after its opening fence is the language; the rest says
 * how the block is tested. CONTRIBUTING.md describes the convention.
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
  for (const token of marked.lexer(markdown)) {
    if (token.type !== 'code') continue;
    const [language = '', ...options] = String(token['lang'] ?? '').split(/\s+/);
    const pairs = options.map((option): [string, string] => {
      const [name = '', value = ''] = option.split('=');
      return [name, value];
    });
    examples.push({ language, options: new Map(pairs), text: String(token['text']) });
  }
  return examples;
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
