/** What a reader might take for something else: the signs of CSV, and blanks at either end. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** Writes one line of CSV (RFC 4180), with its line end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
