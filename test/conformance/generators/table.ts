import { join } from 'node:path';

export const GUIDE = join(import.meta.dir, '../../../docs/guides/generated-clients.md');

/** The words that the programs print, by the headings of the tables in the guide. */
const COLUMNS: Readonly<Record<string, string>> = {
  Create: 'create',
  List: 'list',
  Upload: 'upload',
  Error: 'error',
  int64: 'int64',
  '`null` erases': 'null',
  'Position of events': 'after',
  'Kinds of events': 'events',
};

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Returns the rows of the tables in the guide that have this heading, each with its headings. */
async function tablesWith(heading: string): Promise<{ headings: string[]; rows: string[][] }[]> {
  return (await Bun.file(GUIDE).text()).split('\n\n').flatMap((block) => {
    const [headings = [], , ...rows] = block.split('\n').map(cellsOf);
    return headings.includes(heading) ? [{ headings, rows }] : [];
  });
}

/** Returns the rows of the table in the guide that has this heading. */
export async function rowsOf(heading: string): Promise<string[][]> {
  return (await tablesWith(heading)).flatMap(({ rows }) => rows);
}

/** Returns the version that the guide says a generator was tried in, and what its tables say of it. */
export async function rowOf(
  generator: string,
): Promise<{ readonly version: string; readonly facts: ReadonlyMap<string, string> }> {
  const facts = new Map<string, string>();
  for (const { headings, rows } of await tablesWith('Generator')) {
    const row = rows.find(([name]) => name === generator);
    for (const [index, heading] of headings.entries()) {
      const fact = COLUMNS[heading] ?? heading;
      if (row !== undefined) facts.set(fact, row[index] ?? '');
    }
  }
  const version = facts.get('Version');
  if (version === undefined) {
    throw new Error(`the table in ${GUIDE} has no row for ${generator}`);
  }
  const known = new Set(Object.values(COLUMNS));
  return { version, facts: new Map([...facts].filter(([fact]) => known.has(fact))) };
}

/** Throws unless the output of a program, lines such as `int64: exact`, says the same as the guide. */
export async function expectRow(
  generator: string,
  version: string,
  output: string,
): Promise<string> {
  const row = await rowOf(generator);
  const facts = new Set(Object.values(COLUMNS));
  // Maven resets colours that it has not set.
  const found = Bun.stripANSI(output)
    .trim()
    .split('\n')
    .map((line) => line.split(': ', 2))
    .filter(([fact = '']) => facts.has(fact))
    .map(([fact = '', value = '']) => `${fact}: ${value}`);
  const shown = [...row.facts].map(([fact, value]) => `${fact}: ${value}`);
  if (row.version !== version || found.sort().join() !== shown.sort().join()) {
    const guide = `${row.version}; ${shown.join(', ')}`;
    throw new Error(
      `${generator} ${version}: ${found.join(', ')}; but the guide has ${guide}\n${output}`,
    );
  }
  return found.join(', ');
}
