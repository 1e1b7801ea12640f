/** Control characters, but for line ends and tabs. */
const MOVES_TERMINAL = /[^\P{Cc}\n\t]/gu;

/** A text in which parts of a file may stand, such that none of them can move a terminal. */
export function printable(text: string): string {
  return text.replace(MOVES_TERMINAL, '\uFFFD');
}
