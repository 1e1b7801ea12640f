import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type InstalledClient, installClient } from '../client/package.ts';
import { createInstance } from '../cluster/instance.ts';
import { idOf } from '../support/animals.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { createServingKey, UNLIMITED } from '../support/serving.ts';
import { examplesIn } from './examples.ts';
import { python } from './python.ts';

const GUIDES = join(import.meta.dir, '../../docs/guides');
const TEST_MS = 120_000;

let folder: InstalledClient;
beforeAll(async () => {
  folder = await installClient();
}, TEST_MS);
afterAll(() => folder[Symbol.dispose]());

/** A program of a guide, what runs it, and whether it knows of an animal. */
interface Follower {
  readonly guide: string;
  readonly name: string;
  readonly command: string;
  knows(id: bigint): boolean;
}

const textOf = (name: string) =>
  existsSync(folder.file(name)) ? readFileSync(folder.file(name), 'utf8') : '';

const FOLLOWERS: readonly Follower[] = [
  {
    guide: 'events.md',
    name: 'follow.mjs',
    command: 'node',
    knows: (id) => textOf('follow.mjs.txt').includes(`pet.created ${id}\n`),
  },
  {
    guide: 'mirror.md',
    name: 'mirror.mjs',
    command: 'node',
    knows: (id) => textOf('mirror.json').includes(`"${id}":{"id":${id},`),
  },
  {
    guide: 'mirror.md',
    name: 'mirror.py',
    command: python,
    knows(id) {
      if (!existsSync(folder.file('mirror.db'))) return false;
      using db = new Database(folder.file('mirror.db'), { readonly: true });
      // Its program writes meanwhile.
      db.run('PRAGMA busy_timeout = 5000');
      return db.query("SELECT 1 FROM records WHERE kind = 'pet' AND id = ?").get(id) !== null;
    },
  },
];

/** Starts a program as the guide prints it. */
function start({ guide, name, command }: Follower, url: string, key: string): Bun.Subprocess {
  const examples = examplesIn(readFileSync(join(GUIDES, guide), 'utf8'));
  const { text = '' } = examples.find(({ options }) => options.get('file') === name) ?? {};
  writeFileSync(folder.file(name), text.replaceAll('http://127.0.0.1:8080', url));
  return Bun.spawn([command, name], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], PETSTORE_API_KEY: key },
    stdout: Bun.file(folder.file(`${name}.txt`)),
    stderr: Bun.file(folder.file(`${name}.errors.txt`)),
  });
}

test(
  'the followers of the guides continue when the service is killed and started again',
  async () => {
    const settings = { PETSTORE_DATABASE: `sqlite:${folder.file('shop.db')}` };
    const key = await createServingKey(settings, ...UNLIMITED);
    await using instance = createInstance({ ...settings, PETSTORE_OPS_PORT: 'off' });
    await instance.start();
    const client = createClient(() => instance.url, key);
    const programs = FOLLOWERS.map((follower) => start(follower, instance.url, key));

    /** Adds animals until all programs know the last one. */
    async function untilAllFollow(): Promise<void> {
      const missing = async () => {
        const id = idOf(await client.post('/v1/pets', { name: 'Rex', categoryId: 1 }));
        await Bun.sleep(500);
        return FOLLOWERS.filter(({ knows }) => !knows(id)).map(({ name }) => name);
      };
      await eventually(missing, (names) => names.length === 0);
    }
    try {
      await untilAllFollow();
      const killed = await instance.kill();
      await Bun.sleep(500);
      await killed[Symbol.asyncDispose]();
      await untilAllFollow();
      expect(programs.map(({ exitCode }) => exitCode)).toEqual([null, null, null]);
      // Each has noticed, and says so.
      for (const { name } of FOLLOWERS) expect(textOf(`${name}.errors.txt`)).not.toBe('');
    } finally {
      for (const program of programs) program.kill('SIGKILL');
      await Promise.all(programs.map(({ exited }) => exited));
    }
  },
  TEST_MS,
);
