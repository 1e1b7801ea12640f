import { useState } from 'preact/hooks';
import { explain, failureOf } from '../failures.ts';
import { count } from '../format.ts';
import { notify } from '../notices.tsx';
import { Button } from './button.tsx';

/** Where a spreadsheet would see a formula: at the start of a cell, and after what ends one where the comma does not. */
const FORMULA = /(^|[;\t\r\n])(?=\s*[=+\-@])/g;

/** A column of the file: its header, and the text of a row. */
export type ExportColumns<T> = Readonly<Record<string, (row: T) => string | undefined>>;

interface ExportButtonProps<T> {
  /** The file is named after it: `adoptions`. */
  readonly name: string;
  readonly columns: ExportColumns<T>;
  /** Reads every row that the table can show, page by page. */
  readonly rows: () => AsyncIterable<T>;
}

/** Saves what a table shows, with all its pages, as a CSV file that spreadsheets open. */
export function ExportButton<T>({ name, columns, rows }: ExportButtonProps<T>) {
  const [isRunning, setRunning] = useState(false);

  async function run() {
    setRunning(true);
    try {
      const lines = [lineOf(Object.keys(columns))];
      for await (const row of rows()) {
        lines.push(lineOf(Object.values(columns).map((text) => text(row) ?? '')));
      }
      // The mark tells spreadsheets that the file is UTF-8.
      save(`\uFEFF${lines.join('')}`, `${name}-${new Date().toISOString().slice(0, 10)}.csv`);
      notify(`${count(lines.length - 1, 'row')} exported.`);
    } catch (error) {
      notify(`The export has stopped: ${explain(failureOf(error))}`);
    } finally {
      setRunning(false);
    }
  }

  return (
    <Button label={`Export ${name}`} isDisabled={isRunning} onClick={run}>
      {isRunning ? 'Exporting…' : 'Export'}
    </Button>
  );
}

/** A line of CSV (RFC 4180). Nothing that somebody typed becomes a formula. */
function lineOf(cells: readonly string[]): string {
  const quoted = cells.map((cell) => {
    const text = cell.replace(FORMULA, "$1'");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${quoted.join(',')}\r\n`;
}

function save(text: string, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
