/**
 * `bun bench/attacks.ts [TREE] [CATEGORIES]`: what one key can do to everybody else. Each attack has a
 * server of its own; the table shows how long /livez took meanwhile, and the memory. TREE is another
 * checked-out tree; CATEGORIES as many as that lets a key make; see README.md.
 */
import { Database } from 'bun:sqlite';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { residentOf } from './process-usage.ts';
import { markdownTable } from './table.ts';
import { openWorkbench, type RunningServer } from './workbench.ts';

const [tree = join(import.meta.dir, '..'), categories = '10000'] = process.argv.slice(2);
const main = join(tree, 'src/main.ts');
const MIB = 1_048_576;
/** Requests of one minute of the smallest plan, all sent at once. */
const AT_ONCE = 60;
const PROBE_MS = 10;

/** Sends requests to the service that is attacked. */
interface Target {
  /** With the key of the attacker, or of somebody else. */
  send(path: string, body?: string, type?: string, authorization?: string): Promise<Response>;
  readonly other: string;
}

interface Attack {
  readonly name: string;
  /** Fills the database before the server starts. */
  prepare?(database: string): Promise<void> | void;
  /** Returns what is worth telling. */
  run(target: Target): Promise<string>;
}

const importSchema = z.object({ id: z.number().optional(), status: z.unknown() });
const ENDS: readonly unknown[] = ['completed', 'failed', 'cancelled'];

/** Uploads a file, and waits until it has been imported. Returns how that ended. */
async function importFile(
  { send }: Target,
  query: string,
  file: string,
  authorization?: string,
): Promise<string> {
  const response = await send(`/v1/imports?${query}`, file, 'text/csv', authorization);
  const { id } = importSchema.parse(await response.json());
  if (response.status !== 202) return String(response.status);
  for (;;) {
    const { status } = importSchema.parse(await (await send(`/v1/imports/${id}`)).json());
    if (ENDS.includes(status)) return String(status);
    await Bun.sleep(50);
  }
}

async function sendAtOnce({ send }: Target, path: string): Promise<string> {
  const responses = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, n) => {
      const response = await send(`${path}${path.includes('?') ? '&' : '?'}n=${n}`);
      await response.arrayBuffer();
      return response.status;
    }),
  );
  return `${responses.filter((status) => status === 200).length} of ${AT_ONCE} answered`;
}

const rows = (header: string, count: number, row: (n: number) => string) =>
  `${header}\n${Array.from({ length: count }, (_, n) => row(n)).join('\n')}\n`;

const ATTACKS: readonly Attack[] = [
  {
    name: 'C1: a template that builds names of gigabytes',
    async run(target) {
      const file = rows(',Name,Kind', 16, () => `${'a'.repeat(MIB - 100)}Ā,,1`);
      const small = rows(',Name,Kind', 64, () => `${'a'.repeat(MIB / 4 - 100)}Ā,,1`);
      const query = (count: number) => `name=Name&categoryId=Kind&unnamed=${'{}'.repeat(count)}`;
      const many = await importFile(target, query(1_000), file);
      return `${many}, ${await importFile(target, query(20), small)}`;
    },
  },
  {
    name: `H1: statistics of ${categories} categories, ${AT_ONCE} at once`,
    prepare(path) {
      using database = new Database(path);
      const ids = `WITH RECURSIVE ids (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ids WHERE i < ${categories})`;
      database.run(`INSERT INTO categories (name, name_folded) ${ids} SELECT i, i FROM ids`);
      database.run(
        `INSERT INTO pets (name, name_folded, category_id, status, was_offered, added_at)
         ${ids} SELECT 'Rex', 'rex', i, 'sold', 0, 0 FROM ids`,
      );
    },
    run: (target) => sendAtOnce(target, '/v1/stats'),
  },
  {
    name: `M3: searches in planted names, ${AT_ONCE} at once`,
    async prepare(path) {
      const file = join(workbench.folder, 'planted.ndjson');
      const row = JSON.stringify({ name: '\u0390'.repeat(255), categoryId: 1, status: 'sold' });
      writeFileSync(file, `${row}\n`.repeat(60_000));
      const { exitCode } = await workbench.run([
        ...[process.execPath, main, 'import', file, '--database', `sqlite:${path}`],
      ]);
      if (exitCode !== 0) throw new Error('the names could not be planted');
    },
    run: (target) => sendAtOnce(target, '/v1/pets?name=zz&limit=100'),
  },
  {
    name: 'L5: rows of separators and line ends, of a MiB and as long as they may be',
    async run(target) {
      const ends: string[] = [];
      for (const [count, separators, lineEnds] of [
        [30, MIB - 10, MIB - 10],
        [60, MIB / 2 - 10, MIB / 4 - 10],
      ] as const) {
        const fields = rows('Name,Kind', count, () => ','.repeat(separators));
        const lines = rows('Name,Kind', count, () => `"${'\n'.repeat(lineEnds)}",1`);
        for (const file of [fields, lines]) {
          ends.push(await importFile(target, 'name=Name&categoryId=Kind', file));
        }
      }
      return ends.join(', ');
    },
  },
  {
    name: 'M1: imports of one key, as many as it may queue',
    async run(target) {
      const file = rows('Name,Kind', 50_000, (n) => `Rex ${n},1`);
      const query = 'name=Name&categoryId=Kind';
      let queued = 0;
      for (let n = 0; n < 101; n++) {
        const response = await target.send(`/v1/imports?${query}`, file, 'text/csv');
        await response.arrayBuffer();
        if (response.status === 202) queued++;
      }
      const begin = performance.now();
      const end = await importFile(target, query, 'Name,Kind\nMax,1\n', target.other);
      const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
      return `${queued} queued; another key's: ${end}, after ${seconds} s`;
    },
  },
];

/** Asks for /livez all the time, from a process of its own. Returns the longest time, in milliseconds. */
function probe(server: RunningServer): () => Promise<number> {
  const code = `
    let isOver = false, longest = 0;
    process.stdin.once('data', () => { isOver = true; });
    while (!isOver) {
      const begin = performance.now();
      await (await fetch('${server.origin}/livez')).arrayBuffer();
      longest = Math.max(longest, performance.now() - begin);
      await Bun.sleep(${PROBE_MS});
    }
    console.log(longest);
    process.exit();`;
  const prober = Bun.spawn([process.execPath, '-e', code], { stdin: 'pipe', stdout: 'pipe' });
  return async () => {
    prober.stdin.write('end');
    prober.stdin.flush();
    return Number(await new Response(prober.stdout).text());
  };
}

await using workbench = openWorkbench('taskset');
const table: string[][] = [];
for (const [n, attack] of ATTACKS.entries()) {
  const path = join(workbench.folder, `${n}.db`);
  const database = `sqlite:${path}`;
  const attacker = await createAuthorization(workbench, database, main);
  const other = await createAuthorization(workbench, database, main);
  await attack.prepare?.(path);
  const server = await startOurs(workbench, database, { main, settings: ['--log-sample', '0'] });
  const target: Target = {
    other,
    send: (at, body, type = 'application/json', authorization = attacker) =>
      fetch(`${server.origin}${at}`, {
        headers: { authorization, 'content-type': type },
        ...(body !== undefined && { method: 'POST', body }),
      }),
  };
  await (await target.send('/v1/pets')).arrayBuffer();
  const probed = probe(server);
  await Bun.sleep(200);
  const outcome = await attack.run(target);
  await Bun.sleep(200);
  const row = [attack.name, (await probed()).toFixed(0), residentOf(server.pid).most.toFixed(0)];
  table.push([...row, outcome]);
  process.stderr.write(`${table.at(-1)?.join(' | ')}\n`);
  await server.stop();
}
process.stdout.write(
  `${markdownTable(['attack', 'longest /livez ms', 'peak MiB', 'outcome'], table)}\n`,
);
