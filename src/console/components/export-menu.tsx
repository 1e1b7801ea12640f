import { useState } from 'preact/hooks';
import { explain } from '../failures.ts';
import { count, localTime, todayHere } from '../format.ts';
import { t, translate } from '../language.ts';
import { notify } from '../notices.tsx';
import { loadFile } from '../service.ts';
import { Menu } from './menu.tsx';

/** What a file is for: any program, or Excel as this browser's country writes numbers and times. */
export type ExportForm = 'plain' | 'excel';

/** Where a spreadsheet would see a formula: at the start of a cell, and after what ends one where the comma does not. */
const FORMULA = /(^|[;\t\r\n])(?=\s*[=+\-@])/g;
const BYTE_ORDER_MARK = '\uFEFF';

/** A column of the file: its header, and the text of a row; a time as a `Date`. */
export type ExportColumns<T> = Readonly<Record<string, (row: T) => string | Date | undefined>>;

interface ExportMenuProps {
  /** What is exported: `adoptions`. */
  readonly name: string;
  /** Saves every row that the table can show, from all pages. */
  readonly save: (form: ExportForm) => Promise<void>;
}

/** Saves what a table shows as a CSV file. */
export function ExportMenu({ name, save }: ExportMenuProps) {
  const [isRunning, setRunning] = useState(false);

  async function run(form: ExportForm) {
    setRunning(true);
    await save(form).catch((error) => notify(t`The export has stopped: ${explain(error)}`));
    setRunning(false);
  }

  return (
    <Menu
      kind="button"
      control="export"
      label={t`Export ${translate(name)}`}
      items={[
        { label: t`For Excel`, onSelect: () => void run('excel') },
        { label: t`All fields, for other programs`, onSelect: () => void run('plain') },
      ]}
    >
      {isRunning ? t`Exporting…` : t`Export`}
    </Menu>
  );
}

/** Where a comma is for decimals, Excel separates columns by semicolons. */
const isCommaDecimal = () => (1.5).toLocaleString().includes(',');

/** Saves what an operation returns. The file is named after its path. */
export async function saveFile(
  path: string,
  query: Readonly<Record<string, string>>,
  form: ExportForm,
): Promise<void> {
  const separator = isCommaDecimal() ? 'semicolon' : 'comma';
  const file = await loadFile(path, {
    ...query,
    ...(form === 'excel' && { bom: 'true', separator }),
  });
  saveAs(file, datedName(path.slice(path.lastIndexOf('/') + 1)));
}

export async function saveRows<T>(
  name: string,
  columns: ExportColumns<T>,
  rows: AsyncIterable<T>,
  form: ExportForm,
): Promise<void> {
  const separator = form === 'excel' && isCommaDecimal() ? ';' : ',';
  // Every Excel reads the local form as a time.
  const timeText = form === 'excel' ? localTime : (time: Date) => time.toISOString();
  const textOf = (cell: string | Date) => (cell instanceof Date ? timeText(cell) : cell);
  const lineOf = (cells: readonly (string | Date)[]) =>
    `${cells.map((cell) => cellOf(textOf(cell), separator)).join(separator)}\r\n`;
  const lines = [lineOf(Object.keys(columns).map((name) => translate(name)))];
  for await (const row of rows) {
    lines.push(lineOf(Object.values(columns).map((text) => text(row) ?? '')));
  }
  const mark = form === 'excel' ? BYTE_ORDER_MARK : '';
  saveAs(new Blob([mark, ...lines], { type: 'text/csv;charset=utf-8' }), datedName(name));
  notify(t`${count(lines.length - 1, 'row')} exported.`);
}

/** A cell of CSV (RFC 4180). Nothing that somebody typed becomes a formula. */
function cellOf(cell: string, separator: string): string {
  const text = cell.replace(FORMULA, "$1'");
  const needsQuotes = /["\r\n]/.test(text) || text.includes(separator);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

const datedName = (name: string) => `${name}-${todayHere()}.csv`;

export function saveAs(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Some browsers begin to read it later.
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}
