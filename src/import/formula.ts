/** A spreadsheet would run a text that begins like this as a formula (CWE-1236). */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** A number that a spreadsheet would round, or whose zeros it would drop. */
const ROUNDED = /^(?:0\d+|\d{12,})$/;
/** A text that may have had an apostrophe in front. */
const MARKED = /^'+[=+\-@\t\r\d]/;

/**
 * Returns a cell of our own export. For a spreadsheet, an apostrophe is put before what it would run or round.
 * A text that has one of its own gets another, so that an import takes away what was added and nothing else.
 */
export function exportedCell(text: string, isForSpreadsheet: boolean): string {
  const isChanged = (FORMULA.test(text) && !NUMBER.test(text)) || ROUNDED.test(text);
  return MARKED.test(text) || (isForSpreadsheet && isChanged) ? `'${text}` : text;
}

/** Returns a cell without the apostrophe that keeps spreadsheets from changing it. */
export function importedCell(text: string): string {
  return MARKED.test(text) ? text.slice(1) : text;
}
