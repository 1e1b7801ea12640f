/** CSV syntax, and blanks that a reader might trim. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** Formats one line of CSV (RFC 4180), with its line end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
