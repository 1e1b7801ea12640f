import type * as z from 'zod';
import { accepts } from '../../http/representation.ts';
import type { Result } from './operation.ts';
import { oneOf, trueOrFalseInQuery } from './request-fields.ts';
import type { ConnectedClient } from './request-input.ts';

const CSV = 'text/csv';
const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' } as const;

/** How a file for a spreadsheet is written. */
export const csvInQuery = {
  separator: oneOf(['comma', 'semicolon', 'tab']).optional().meta({
    description: 'What stands between the columns of `text/csv`: `comma` by default.',
  }),
  bom: trueOrFalseInQuery(
    'With `true`, `text/csv` begins with a byte-order mark, as Excel needs it.',
  ),
};
type CsvQuery = z.output<z.ZodObject<typeof csvInQuery>>;

/** Returns whether the client asks for a file for a spreadsheet. */
export function wantsCsv({ accept }: Pick<ConnectedClient, 'accept'>): boolean {
  return accepts(accept, CSV);
}

/** A spreadsheet would run a text that begins like this as a formula (CWE-1236). */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

function cellOf(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Writes a line of a file (RFC 4180) in which no cell is a formula. */
export function csvLine(cells: readonly unknown[], { separator = 'comma' }: CsvQuery): string {
  return `${cells.map(cellOf).join(SEPARATORS[separator])}\r\n`;
}

/** The result that is such a file. */
export function csvResult(lines: readonly string[], { bom }: CsvQuery, name: string): Result {
  return {
    json: (bom === 'true' ? '\uFEFF' : '') + lines.join(''),
    headers: {
      'content-type': `${CSV}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
    },
  };
}
