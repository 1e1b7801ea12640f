/**
 * `bun bench/photos.ts [PHOTOS]`: the time and the size of many photos (2,000), the time of a backup with
 * them, the memory of a hundred uploads at once, and other requests beside uploads and without.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuMillisecondsOf } from './process-usage.ts';

const MAIN = join(import.meta.dir, '../src/main.ts');
const PHOTOS = Number(process.argv[2] ?? 2_000);
const PER_ANIMAL = 10;
const AT_ONCE = 100;
/** Made beforehand, so that only the service works while other requests are measured. */
const WATCHED = 20;
const ROUNDS = 5;
const WITHOUT_MS = 8_000;
/** Six megapixels, as sharp as the lens of a telephone. */
const [WIDTH, HEIGHT] = [3_000, 2_000];
const FAMILIES = 10;

const folder = mkdtempSync(join(tmpdir(), 'petstore-photos-'));
const database = `sqlite:${join(folder, 'shop.db')}`;
const env = { PATH: process.env['PATH'] ?? '', PETSTORE_DATABASE: database };
const say = (text: string) => process.stdout.write(`${text}\n`);

async function petstore(...args: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, MAIN, ...args], { env, stderr: 'ignore' });
  const text = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error(`petstore ${args[0]} failed`);
  return text;
}

async function createKey(): Promise<string> {
  const limits = ['--per-minute', '10000000', '--per-day', '100000000'];
  const text = await petstore(
    'keys',
    'create',
    '--name',
    'b',
    '--plan',
    'enterprise',
    ...limits,
    '--json',
  );
  return JSON.parse(text).key;
}

/** Blobs of colour, which compress like a photo. No two are the same. */
function photo(): Promise<Uint8Array> {
  const noise = new Bun.Image(bitmap(WIDTH / 12, HEIGHT / 12));
  return noise.resize(WIDTH, HEIGHT).jpeg({ quality: 90 }).bytes();
}

function bitmap(width: number, height: number): Uint8Array {
  const head = Buffer.alloc(54);
  head.write('BM');
  head.writeUInt32LE(54, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(width, 18);
  head.writeInt32LE(height, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  const pixels = Buffer.alloc(Math.ceil((width * 3) / 4) * 4 * height);
  for (let at = 0; at < pixels.length; at++) pixels[at] = 70 + Math.random() * 110;
  return Buffer.concat([head, pixels]);
}

const [key = '', ...others] = await Promise.all(Array.from({ length: FAMILIES }, createKey));
const server = Bun.spawn([process.execPath, MAIN, 'serve', '--port', '0', '--ops-port', 'off'], {
  env,
  stdout: 'ignore',
  stderr: 'pipe',
});
try {
  const base = await announced();
  await measure(base);
} finally {
  server.kill();
  await server.exited;
  rmSync(folder, { recursive: true });
}

async function announced(): Promise<string> {
  let text = '';
  for await (const chunk of server.stderr) {
    text += new TextDecoder().decode(chunk);
    const found = /Serving on (\S+\/v1)/.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error('it does not serve');
}

function post(base: string, path: string, type: string, body: Bun.BodyInit, by: string) {
  const headers = { authorization: `Bearer ${by}`, 'content-type': type };
  return fetch(base + path, { method: 'POST', headers, body });
}

function sendPhoto(base: string, petId: number, file: Uint8Array, by = key): Promise<Response> {
  const body = new Blob([new Uint8Array(file)]);
  return post(base, `/pets/${petId}/photos`, 'image/jpeg', body, by);
}

async function addAnimal(base: string): Promise<number> {
  const added = await post(
    base,
    '/pets',
    'application/json',
    '{"name":"Chloe","categoryId":1}',
    key,
  );
  const { id } = (await added.json()) as { id: number };
  return id;
}

/** Measures other requests in a process of their own, while work is done. */
async function beside<T>(base: string, what: string, work: () => Promise<T>): Promise<T> {
  const command = [process.execPath, join(import.meta.dir, 'photos-neighbour.ts'), base, key];
  const child = Bun.spawn(command, { stdin: 'pipe' });
  const result = await work();
  child.stdin.end();
  say(`other requests ${what}: ${await child.stdout.text()}`);
  return result;
}

function memory(field: string): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(0)} MB`;
}
function sizeOfDatabase(): number {
  return readdirSync(folder)
    .filter((name) => name.startsWith('shop.db'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

async function measure(base: string): Promise<void> {
  await addAnimal(base);
  await beside(base, `beside ${AT_ONCE} at once`, () => atOnce(base));
  // In turn, because other programs use the machine too.
  for (let round = 0; round < ROUNDS; round++) {
    const ready = await Promise.all(Array.from({ length: WATCHED }, photo));
    await beside(base, 'without uploads', () => Bun.sleep(WITHOUT_MS));
    await beside(base, 'beside one upload after the other', () => addAll(base, ready));
  }
  if (PHOTOS > 0) await many(base);
  const startedAt = performance.now();
  await petstore('backup', join(folder, 'backup'));
  const took = (performance.now() - startedAt) / 1_000;
  say(`backup: ${took.toFixed(1)} s, ${megabytes(statSync(join(folder, 'backup')).size)}`);
  say(`peak memory of the service: ${memory('VmHWM').toFixed(0)} MiB`);
}

async function atOnce(base: string): Promise<void> {
  const files = await Promise.all(Array.from({ length: AT_ONCE }, photo));
  const families = [key, ...others];
  const before = memory('VmRSS');
  const responses = await Promise.all(
    files.map(async (file, n) => {
      const petId = await addAnimal(base);
      const sent = await sendPhoto(base, petId, file, families[n % FAMILIES]);
      await sent.text();
      return sent.status;
    }),
  );
  const count = (status: number) => responses.filter((each) => each === status).length;
  const peak = `peak memory ${memory('VmHWM').toFixed(0)} MiB, ${before.toFixed(0)} before`;
  say(`${AT_ONCE} at once: ${count(201)} added, ${count(503)} refused for now; ${peak}`);
}

/** Adds photos that are ready, one after the other. Returns the milliseconds that they took. */
async function addAll(base: string, files: readonly Uint8Array[]): Promise<number> {
  let petId = 0;
  const startedAt = performance.now();
  for (const [n, file] of files.entries()) {
    if (n % PER_ANIMAL === 0) petId = await addAnimal(base);
    const { status } = await sendPhoto(base, petId, file);
    if (status !== 201) throw new Error(`a photo got ${status}`);
  }
  return performance.now() - startedAt;
}

async function many(base: string): Promise<void> {
  let waited = 0;
  let sent = 0;
  const cpu = cpuMillisecondsOf(server.pid);
  for (let n = 0; n < PHOTOS; n += WATCHED) {
    const files = await Promise.all(Array.from({ length: WATCHED }, photo));
    sent += files.reduce((sum, { length }) => sum + length, 0);
    waited += await addAll(base, files);
  }
  const each = (total: number) => `${(total / PHOTOS).toFixed(0)} ms`;
  const spent = cpuMillisecondsOf(server.pid) - cpu;
  say(`${PHOTOS} uploads of ${WIDTH} x ${HEIGHT}, ${megabytes(sent)}: ${each(waited)} each`);
  say(`processor time: ${each(spent)} each; the database has ${megabytes(sizeOfDatabase())}`);
}
