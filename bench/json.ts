/** `bun bench/json.ts [FOLDER]`: compares ways to read and write JSON; FOLDER may contain lossless-json. */
import { parseJson, writeJson } from '../src/http/json.ts';
import { animalAt } from './animals.ts';
import { spreadText } from './statistics.ts';
import { timeWays, type Ways } from './stopwatch.ts';
import { markdownTable } from './table.ts';

type Parse = (text: string) => unknown;

const PEER = 'lossless-json';

const animalOf = (categoryId: string) =>
  `{"name":"Señora Paws","categoryId":${categoryId},"status":"pending"}`;
const bodies = {
  'an animal': animalOf('7'),
  'an animal, its category beyond 2^53': animalOf('9007199254740993'),
  'a name of 64 KiB': JSON.stringify({ name: 'n'.repeat(65_536), categoryId: 1 }),
  'an array of 3,000 numbers': JSON.stringify(Array.from({ length: 3_000 }, (_, i) => 1e15 + i)),
};

/** Texts that an exact parser must refuse. */
const refused = {
  'repeated key, other value': '{"a":1,"a":2}',
  'repeated key, equal value': '{"a":1,"a":1}',
  'repeated key, spelled with an escape': '{"a":1,"\\u0061":2}',
  '200,000 arrays in each other': '['.repeat(200_000) + ']'.repeat(200_000),
};

/** The package is measured if it can be found, but is not a dependency. */
async function findPeer(folder: string): Promise<Parse | undefined> {
  try {
    const module: unknown = await import(Bun.resolveSync(PEER, folder));
    const isParser = typeof module === 'object' && module !== null && 'parse' in module;
    // Its documented entry point; the first argument is a text.
    return isParser ? (module.parse as Parse) : undefined;
  } catch {
    return undefined;
  }
}

function print(
  title: string,
  rows: readonly string[],
  columns: Readonly<Record<string, string[]>>,
) {
  const names = Object.keys(columns);
  const cells = rows.map((row, index) => [
    row,
    ...names.map((name) => columns[name]?.[index] ?? ''),
  ]);
  process.stdout.write(`\n## ${title}\n\n${markdownTable(['', ...names], cells)}\n`);
}

/** Renders times as a table. Each of the `sets` is a row; all use the same names. */
function timesOf(sets: readonly Ways[]): Record<string, string[]> {
  const columns: Record<string, string[]> = {};
  for (const ways of sets) {
    for (const [name, spread] of timeWays(ways)) {
      columns[name] = [...(columns[name] ?? []), spreadText(spread, (time) => time.toFixed(2))];
    }
  }
  return columns;
}

function verdict(parse: Parse, text: string): string {
  try {
    parse(text);
    return 'accepted';
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message.slice(0, 40)}` : String(error);
  }
}

const page = Array.from({ length: 20 }, (_, index) => animalAt(index + 1));
const exactPage = page.map(({ id, categoryId, ...rest }) => ({
  ...{ id: BigInt(id), name: rest.name },
  ...{ categoryId: BigInt(categoryId), status: rest.status },
}));

/** Ways to write twenty animals with `bigint` ids; all must give the same text. */
const writers = {
  writeJson: () => writeJson(exactPage),
  'JSON.stringify, rawJSON': () =>
    JSON.stringify(exactPage, (_, value) =>
      typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
    ),
  'written by hand': () => {
    let text = '[';
    for (const { id, name, categoryId, status } of exactPage) {
      if (text.length > 1) text += ',';
      text += `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}`;
      text += `,"status":"${status}"}`;
    }
    return `${text}]`;
  },
};

const peer = await findPeer(process.argv[2] ?? import.meta.dir);
const parsers: Record<string, Parse> = { 'JSON.parse': JSON.parse, parseJson };
if (peer !== undefined) parsers[PEER] = peer;
else process.stdout.write(`${PEER} is not installed here, so it is left out.\n`);

const each = Object.entries(parsers);
const readers = Object.values(bodies).map((text) =>
  Object.fromEntries(each.map(([name, parse]) => [name, () => parse(text)])),
);
print('Reading, µs', Object.keys(bodies), timesOf(readers));

const verdicts = each.map(([name, parse]) => [
  name,
  Object.values(refused).map((text) => verdict(parse, text)),
]);
print('Texts that must be refused', Object.keys(refused), Object.fromEntries(verdicts));

if (new Set(Object.values(writers).map((write) => write())).size !== 1) {
  throw new Error('the ways to write do not give the same text');
}
print('Writing, µs', ['20 animals'], timesOf([writers]));
