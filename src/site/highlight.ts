import { escapeHtml } from './escape.ts';

/** What is used of highlight.js, whose own types would give the whole project those of a browser. */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void;
  getLanguage(name: string): object | undefined;
  highlight(code: string, options: { readonly language: string }): { readonly value: string };
}

// `import` would bring in the types as well. The paths are literal, for the bundler.
const highlighter: Highlighter = require('highlight.js/lib/core');
highlighter.registerLanguage('bash', require('highlight.js/lib/languages/bash'));
highlighter.registerLanguage('http', require('highlight.js/lib/languages/http'));
highlighter.registerLanguage('json', require('highlight.js/lib/languages/json'));
highlighter.registerLanguage('python', require('highlight.js/lib/languages/python'));
highlighter.registerLanguage('typescript', require('highlight.js/lib/languages/typescript'));

/** Code as HTML, with its parts marked where the language is one that the guides use. */
export function highlight(code: string, language: string): string {
  if (highlighter.getLanguage(language) === undefined) return escapeHtml(code);
  return highlighter.highlight(code, { language }).value;
}
