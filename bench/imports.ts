/** `bun bench/imports.ts`: what an import of 100,000 rows costs with and without profiles; see README.md. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spreadOf, spreadText } from './statistics.ts';
import { markdownTable } from './table.ts';

const ROWS = 100_000;
const ROUNDS = 3;

const PROFILE = 'Animal Type,Breed,Color,Sex upon Outcome,Age upon Outcome,DateTime,Size';
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

const folder = mkdtempSync(join(tmpdir(), 'petstore-imports-'));
const CASES = [
  { name: 'without profiles', file: 'plain.csv', flags: [] },
  { name: 'with profiles', file: 'profiles.csv', flags: [] },
  { name: 'with profiles, published', file: 'profiles.csv', flags: ['--publish'] },
] as const;
const times = new Map<string, { cpu: number[]; wall: number[] }>();

/** Runs a command and returns its times in seconds. */
async function timed(args: readonly string[]) {
  const begin = performance.now();
  const main = join(import.meta.dir, '../src/main.ts');
  const child = Bun.spawn([process.execPath, main, ...args], { stdout: 'pipe', stderr: 'pipe' });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  const wall = (performance.now() - begin) / 1_000;
  return { wall, cpu: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6 };
}

try {
  writeAnimals(join(folder, 'plain.csv'), false);
  writeAnimals(join(folder, 'profiles.csv'), true);
  const mapping = ['--name', 'Name', '--category', 'Kind', '--external-id', 'id'];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, file, flags } of CASES) {
      const database = ['--database', `sqlite:${join(folder, `${round}-${name}.db`)}`];
      for (const again of ['', ', again']) {
        const command = ['import', join(folder, file), ...mapping, ...flags, ...database];
        const { wall, cpu } = await timed(command);
        const all = times.getOrInsertComputed(name + again, () => ({ cpu: [], wall: [] }));
        all.cpu.push(cpu);
        all.wall.push(wall);
      }
    }
  }
  const text = (values: readonly number[]) => spreadText(spreadOf(values), (n) => n.toFixed(1));
  const rows = [...times].map(([name, { wall, cpu }]) => [name, text(wall), text(cpu)]);
  console.log(markdownTable(['100,000 rows', 'seconds', 'of processor time'], rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
