/** Control characters except line feeds and tabs. */
const MOVES_TERMINAL = /[^\P{Cc}\n\t]/gu;

/** Replaces control characters, so that text from a file cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(MOVES_TERMINAL, '\uFFFD');
}
