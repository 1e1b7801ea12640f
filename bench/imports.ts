/** `bun bench/imports.ts`: what an import of 100,000 rows costs with and without profiles; see README.md. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { spreadOf, spreadText } from './statistics.ts';
import { markdownTable } from './table.ts';

const ROWS = 100_000;
const ROUNDS = 3;

const PROFILE = 'Animal Type,Breed,Color,Sex upon Intake,Age upon Intake,DateTime,Size';
const BREEDS = [
  'Labrador Retriever Mix',
  'Domestic Shorthair Mix',
  'Chihuahua/Dachshund',
  'Beagle',
];
const COLOURS = ['Black/White', 'Brown Tabby', 'Tan', 'Blue/White'];
const SEXES = ['Neutered Male', 'Spayed Female', 'Intact Male', 'Unknown'];

/** Writes a file of animals, with profiles or without. */
function writeAnimals(path: string, hasProfiles: boolean): void {
  writeFileSync(path, `id,Name,Kind${hasProfiles ? `,${PROFILE}` : ''}\n`);
  for (let from = 0; from < ROWS; from += 1_000) {
    const lines = Array.from({ length: 1_000 }, (_, i) => {
      const n = from + i;
      const kind = n % 2 ? 'Dog' : 'Cat';
      const day = `2015-0${1 + (n % 9)}-1${n % 10} 11:00:00`;
      const one = (values: readonly string[], salt: number) => values[(n * salt) % values.length];
      const profile = [
        kind,
        one(BREEDS, 3),
        one(COLOURS, 5),
        one(SEXES, 7),
        `${n % 15} years`,
        day,
        'M',
      ];
      return `A${n},Name${n},${kind}${hasProfiles ? `,${profile.join(',')}` : ''}\n`;
    });
    appendFileSync(path, lines.join(''));
  }
}

/** Writes the animals of a file of CSV in another form. */
async function writeForm(csv: string, form: 'ndjson' | 'json' | 'xlsx', path: string) {
  const [header = '', ...lines] = readFileSync(csv, 'utf8').trimEnd().split('\n');
  const columns = header.split(',');
  if (form === 'xlsx') {
    const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    const rows = [header, ...lines].map(
      (line) => `<row>${line.split(',').map(cell).join('')}</row>`,
    );
    const sheet = `<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`;
    const book = '<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>';
    const relations =
      '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>';
    const parts = {
      'xl/workbook.xml': strToU8(book),
      'xl/_rels/workbook.xml.rels': strToU8(relations),
      'xl/worksheets/sheet1.xml': strToU8(sheet),
    };
    writeFileSync(path, zipSync(parts));
    return;
  }
  const objects = lines.map((line) => {
    const cells = line.split(',');
    return JSON.stringify(Object.fromEntries(columns.map((name, n) => [name, cells[n]])));
  });
  writeFileSync(path, form === 'json' ? `[${objects.join(',\n')}]` : objects.join('\n'));
}

const folder = mkdtempSync(join(tmpdir(), 'petstore-imports-'));
const CASES = [
  { name: 'without profiles', file: 'plain.csv', flags: [] },
  { name: 'with profiles', file: 'profiles.csv', flags: [] },
  { name: 'with profiles, published', file: 'profiles.csv', flags: ['--publish'] },
  { name: 'the same as NDJSON', file: 'profiles.ndjson', flags: [] },
  { name: 'the same as JSON', file: 'profiles.json', flags: [] },
  { name: 'the same as .xlsx', file: 'profiles.xlsx', flags: [] },
] as const;
const times = new Map<string, { cpu: number[]; wall: number[]; memory: number[] }>();

/** Runs a command and returns its times in seconds, and the most memory that it had, in MB. */
async function timed(args: readonly string[]) {
  const begin = performance.now();
  const main = join(import.meta.dir, '../src/main.ts');
  const child = Bun.spawn([process.execPath, main, ...args], { stdout: 'pipe', stderr: 'pipe' });
  const printed = new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  const output = (await printed).replaceAll(/(?<=\d),(?=\d)/g, '');
  const [, added = '', same = ''] = /(\d+) new, 0 changed, (\d+) unchanged/.exec(output) ?? [];
  // Animals that are left out would cost nothing.
  if (Number(added) + Number(same) !== ROWS) throw new Error(output);
  const wall = (performance.now() - begin) / 1_000;
  const usage = child.resourceUsage();
  const memory = Number(usage?.maxRSS ?? 0) / 1_000_000;
  return { wall, cpu: Number(usage?.cpuTime.total ?? 0) / 1e6, memory };
}

async function measureCosts(): Promise<void> {
  writeAnimals(join(folder, 'plain.csv'), false);
  writeAnimals(join(folder, 'profiles.csv'), true);
  for (const form of ['ndjson', 'json', 'xlsx'] as const) {
    await writeForm(join(folder, 'profiles.csv'), form, join(folder, `profiles.${form}`));
  }
  const mapping = ['--name', 'Name', '--category', 'Kind', '--external-id', 'id'];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, file, flags } of CASES) {
      const database = ['--database', `sqlite:${join(folder, `${round}-${name}.db`)}`];
      for (const again of ['', ', again']) {
        const command = ['import', join(folder, file), ...mapping, ...flags, ...database];
        const { wall, cpu, memory } = await timed(command);
        const empty = () => ({ cpu: [], wall: [], memory: [] });
        const all = times.getOrInsertComputed(name + again, empty);
        all.cpu.push(cpu);
        all.wall.push(wall);
        all.memory.push(memory);
      }
    }
  }
  const text = (values: readonly number[], digits = 1) =>
    spreadText(spreadOf(values), (n) => n.toFixed(digits));
  const rows = [...times].map(([name, { wall, cpu, memory }]) => [
    ...[name, text(wall), text(cpu), text(memory, 0)],
  ]);
  console.log(markdownTable(['100,000 rows', 'seconds', 'of processor time', 'MB'], rows));
}

try {
  await measureCosts();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
