/**
 * `bun bench/pages.ts`: public pages a second on one core, beside nginx with the same bytes and beside
 * Hono, which renders each; see README.md.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { SPECIES } from '../src/domain/profile.ts';
import { openStorage } from '../src/storage/open.ts';
import { startNginx } from './contenders/nginx.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { findPrograms } from './requirements.ts';
import { spreadOf } from './statistics.ts';
import { markdownTable } from './table.ts';
import { sendRequest } from './wire.ts';
import { openWorkbench, type RunningServer, type Workbench } from './workbench.ts';

const ANIMALS = 500;
const CONNECTIONS = 32;
const LIST = '/adopt?sort=name';
const [rounds = 5, seconds = 3] = process.argv.slice(2).map(Number);
const HONO = join(import.meta.dir, 'peers/hono/pages.js');

const countsSchema = z.object({
  requests: z.int(),
  microseconds: z.int(),
  refused: z.int(),
  broken: z.int(),
});

/** Animals with whole profiles, all of them listed. Returns the address of the first one's page. */
async function fill(address: string): Promise<string> {
  const storage = await openStorage(address, 'production');
  const stamp = { at: Date.now(), keyId: null };
  for (let n = 0; n < ANIMALS; n++) {
    const pet = { name: `Rex ${n}`, categoryId: 1n, status: 'available' } as const;
    const { id } = await storage.pets.create(pet, stamp);
    const profile = {
      ...{ species: SPECIES[n % 3] ?? null, breed: 'Boxer' },
      ...({ sex: 'male', ageGroup: 'adult', size: 'large', neutered: true } as const),
      headline: 'Never met a ball that he did not like',
      ...{ description: 'He walks well on a lead and greets everybody. '.repeat(10) },
      ...{ inCareSince: '2026-06-12', published: true },
    } as const;
    await storage.profiles.update(id, profile, stamp, () => {});
  }
  await storage.close();
  return '/adopt/1/rex-0';
}

/** The load changes this animal once in `every` requests; 0 for never. */
interface Changes {
  readonly every: number;
  readonly petId: number;
}
const NONE: Changes = { every: 0, petId: 1 };
/** By name, the first animal is on the first page, and this one is not. It is of another species, too. */
const BEHIND = 401;

/** Pages a second of one run. */
async function rate(
  workbench: Workbench,
  wrk: string,
  { origin }: RunningServer,
  path: string,
  authorization: string,
  { every, petId } = NONE,
): Promise<number> {
  const script = join(import.meta.dir, 'pages.lua');
  const command = [wrk, '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, origin];
  const { output } = await workbench.run(command, {
    BENCH_PATH: path,
    BENCH_EVERY: String(every),
    BENCH_PET: String(petId),
    BENCH_AUTHORIZATION: authorization,
  });
  const line = output.split('\n').findLast((text) => text.startsWith('{')) ?? '{}';
  const { requests, microseconds, refused, broken } = countsSchema.parse(JSON.parse(line));
  if (refused + broken > 0) throw new Error(`not every response was a success: ${line}`);
  return (requests * 1_000_000) / microseconds;
}

const programs = findPrograms('taskset', 'wrk', 'nginx');
await using workbench = openWorkbench(programs.taskset);
const database = join(workbench.folder, 'pages.db');
const address = `sqlite:${database}`;
const animal = await fill(address);
const authorization = await createAuthorization(workbench, address);
const settings = ['--ops-port', 'off', '--trusted-proxies', '127.0.0.1'];
const ours = await startOurs(workbench, address, { settings });
const hono = await workbench.serve('hono', (port) => [
  ...[process.execPath, HONO, String(port), database],
]);

/** Measures one page on each server, in turns. */
async function measure(name: string, path: string, changes = NONE): Promise<readonly string[]> {
  const headers = { 'x-forwarded-for': '10.0.0.1' };
  const response = await sendRequest(ours.origin, { method: 'GET', path, headers, body: '' });
  const nginx = await startNginx(workbench, programs.nginx, response);
  const rates: Record<'ours' | 'nginx' | 'hono', number[]> = { ours: [], nginx: [], hono: [] };
  const microseconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    rates.nginx.push(await rate(workbench, programs.wrk, nginx, path, authorization));
    const before = ours.cpuMilliseconds();
    const own = await rate(workbench, programs.wrk, ours, path, authorization, changes);
    rates.ours.push(own);
    microseconds.push(((ours.cpuMilliseconds() - before) * 1_000) / (own * seconds));
    rates.hono.push(await rate(workbench, programs.wrk, hono, path, authorization));
  }
  await nginx.stop();
  const middle = (values: number[]) => spreadOf(values).median;
  const [own, constant, rendered] = [rates.ours, rates.nginx, rates.hono].map(middle) as [
    number,
    number,
    number,
  ];
  const figures = [own, constant, rendered, middle(microseconds)].map((value) =>
    String(Math.round(value)),
  );
  const kilobytes = (Buffer.byteLength(response.body) / 1_000).toFixed(1);
  return [name, kilobytes, ...figures, (own / constant).toFixed(2), (own / rendered).toFixed(1)];
}

const rows = [
  await measure('list', LIST),
  await measure('animal', animal),
  await measure('list, every 20th changes an animal on it', LIST, { every: 20, petId: 1 }),
  await measure('list, every 20th another', LIST, { every: 20, petId: BEHIND }),
  await measure('animal, every 20th another', animal, { every: 20, petId: BEHIND }),
];
const head = ['page', 'kB', 'ours /s', 'nginx /s', 'Hono /s', 'CPU µs', '÷ nginx', '÷ Hono'];
process.stdout.write(`${markdownTable(head, rows)}\n`);
