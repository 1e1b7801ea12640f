import { join } from 'node:path';

const GUIDE = join(import.meta.dir, '../../../docs/guides/generated-clients.md');

/** The words that the programs print, by the headings of the table in the guide. */
const COLUMNS: Readonly<Record<string, string>> = {
  'Optional fields': 'optional',
  'Lists of ids': 'id list',
  '`null` erases': 'null',
  'Position of events': 'after',
  'Kinds of events': 'events',
  int64: 'int64',
};

/** Returns the version that the guide says a generator was tried in, and what it found. */
export async function rowOf(
  generator: string,
): Promise<{ readonly version: string; readonly facts: ReadonlyMap<string, string> }> {
  const lines = (await Bun.file(GUIDE).text()).split('\n').filter((line) => line.startsWith('|'));
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [headings = [], , ...rows] = lines.map(cellsOf);
  const row = rows.find(([name]) => name === generator);
  if (row === undefined) throw new Error(`the table in ${GUIDE} has no row for ${generator}`);
  const facts = headings.flatMap((heading, index): [string, string][] => {
    const fact = COLUMNS[heading];
    return fact === undefined ? [] : [[fact, row[index] ?? '']];
  });
  return { version: row[1] ?? '', facts: new Map(facts) };
}

/** Throws unless the output of a program, lines such as `int64: exact`, says the same as the guide. */
export async function expectRow(
  generator: string,
  version: string,
  output: string,
): Promise<string> {
  const row = await rowOf(generator);
  const found = output
    .trim()
    .split('\n')
    .map((line) => line.split(': ', 2))
    .map(([fact = '', value = '']) => `${fact}: ${value}`);
  const shown = [...row.facts].map(([fact, value]) => `${fact}: ${value}`);
  if (row.version !== version || found.sort().join() !== shown.sort().join()) {
    const guide = `${row.version}; ${shown.join(', ')}`;
    throw new Error(`${generator} ${version}: ${found.join(', ')}; but the guide has ${guide}`);
  }
  return found.join(', ');
}
