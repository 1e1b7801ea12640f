import { escapeHtml } from './escape.ts';

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

/** Renders code as HTML, highlighted if the guides use its language. */
export function highlight(code: string, language: string): string {
  if (highlighter.getLanguage(language) === undefined) return escapeHtml(code);
  return highlighter.highlight(code, { language }).value;
}
