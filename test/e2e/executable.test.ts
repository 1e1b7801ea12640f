import { afterAll, beforeAll, expect, test } from 'bun:test';
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { version } from '../../packages/client/package.json';
import { RELEASE_TEXT } from '../../src/settings/release.ts';
import { addPhoto } from '../photos/adding.ts';
import { picture } from '../support/pictures.ts';
import { type Serving, serving } from '../support/serving.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { bothEngines } from '../transfer/pairs.ts';

const ROOT = join(import.meta.dir, '../..');
const ENTERPRISE = ['--plan', 'enterprise', '--per-minute', '100000', '--per-day', '1000000'];

let folder: TemporaryFolder;
let child: Serving['child'] | undefined;

/** Builds the executable into an otherwise empty folder. */
beforeAll(async () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  folder = createTemporaryFolder();
  const built = folder.file('built');
  const command = scripts.build.replaceAll('dist/petstore', built);
  // As npm runs it, except that this runtime is first in the path.
  const bin = `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`;
  const build = Bun.spawn(['sh', '-c', command], {
    cwd: ROOT,
    env: { PATH: bin },
    stdout: 'ignore',
    stderr: 'pipe',
  });
  expect({ code: await build.exited, errors: await build.stderr.text() }).toMatchObject({
    code: 0,
  });
  copyFileSync(built, folder.file('petstore'));
  rmSync(built);
}, 60_000);

afterAll(async () => {
  child?.kill('SIGKILL');
  await child?.exited;
  folder[Symbol.dispose]();
});

/** Starts the executable in its folder with an empty environment. */
function spawn(...args: readonly string[]): Serving['child'] {
  return Bun.spawn([folder.file('petstore'), ...args], {
    cwd: folder.path,
    env: {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

async function output(...args: readonly string[]): Promise<string> {
  const finished = spawn(...args);
  const [stdout, stderr] = await Promise.all([finished.stdout.text(), finished.stderr.text()]);
  expect(stderr).toMatch(/^(?:petstore: new, empty database at .*\n)?$/);
  expect(await finished.exited).toBe(0);
  return stdout;
}

/** Runs the command that a later start prints for another key, and returns the key. */
async function keyAsAdvised(PATH: string, cwd: string): Promise<string> {
  const database = `sqlite:${folder.file('data/petstore.db')}`;
  const options = { cwd, env: { PATH }, stdin: 'ignore', stderr: 'pipe' } as const;
  const program = folder.file('petstore');
  const args = ['demo', '--port', '0', '--ops-port', 'off', '--database', database];
  child = Bun.spawn([program, ...args], { ...options, stdout: 'pipe' });
  let output = '';
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk);
    if (/keys create .*\n/.test(output)) break;
  }
  const advice = /^.* keys create .*$/m.exec(output)?.[0] ?? '';
  const made = await Bun.$`sh -c ${advice}`.cwd(cwd).env({ PATH }).text();
  child.kill('SIGTERM');
  await child.exited;
  expect(made).toMatch(/^petstore_live_\w{38}\n/);
  return advice.slice(0, advice.indexOf(' keys'));
}

/** Creates a key and serves with these flags, on the given database or else the default one. */
async function start(database: readonly string[] = []): Promise<Serving> {
  const create = ['keys', 'create', '--name', 'a test', ...ENTERPRISE, '--json', ...database];
  const { key } = JSON.parse(await output(...create));
  child = spawn('serve', '--port', '0', ...database);
  return serving(child, key);
}

test('prints its version, and the commit that it was built from', async () => {
  expect(await output('--version')).toBe(`${RELEASE_TEXT}\n`);
});

test('prints the committed document', async () => {
  const committed = readFileSync(join(ROOT, 'openapi.json'), 'utf8');
  expect(await output('openapi')).toBe(committed);
});

test('prints the notices of its dependencies', async () => {
  expect(await output('notices')).toBe(readFileSync(join(ROOT, 'THIRD-PARTY-NOTICES.txt'), 'utf8'));
});

test('serves the interface, the pages and their files, and loses nothing when killed', async () => {
  const first = await start();
  const created = await first.client.post('/v1/pets', '{"name":"Rex","categoryId":7}');
  expect(created.status).toBe(201);
  for (const path of [
    '/',
    '/docs',
    '/docs/limits',
    '/docs/notices',
    '/openapi.yaml',
    '/openapi-3.0.json',
    '/console/animals',
    `/client/petstore-client-${version}.tgz`,
    '/client/petstore-client.js',
  ]) {
    expect([path, (await first.client.get(path)).status]).toEqual([path, 200]);
  }
  for (const page of ['/docs', '/console']) {
    const { text } = await first.client.get(page);
    const loaded = [...text.matchAll(/(?:src|href)="(\/(?:docs|console)\/assets\/[^"]+)"/g)];
    expect(loaded.length).toBeGreaterThan(2);
    for (const [, path = ''] of loaded) {
      expect([path, (await first.client.get(path)).status]).toEqual([path, 200]);
    }
  }
  // The decoder enters the executable again.
  const { id } = JSON.parse(created.text);
  await addPhoto(first.client, BigInt(id), await picture(400, 300));
  first.child.kill('SIGKILL');
  await first.child.exited;

  const second = await start();
  for (let n = 0; n < 10; n++) {
    const { text } = await second.client.get('/v1/pets', { connection: 'close' });
    expect(text).toBe(`[${created.text}]`);
  }
  second.child.kill('SIGTERM');
  expect(await second.child.exited).toBe(0);
  expect(readdirSync(folder.path).sort()).toEqual(['data', 'petstore']);
});

test('advises commands that work in the folder where it was started', async () => {
  await output('keys', 'create', '--name', 'a test', '--plan', 'free');
  const PATH = process.env['PATH'] ?? '';
  expect(await keyAsAdvised(PATH, folder.path)).toBe('./petstore');
  expect(await keyAsAdvised(PATH, dirname(folder.path))).toBe(`${basename(folder.path)}/petstore`);
  expect(await keyAsAdvised(PATH, ROOT)).toBe(folder.file('petstore'));
  expect(await keyAsAdvised(`${folder.path}:${PATH}`, ROOT)).toBe('petstore');
});

for (const engine of bothEngines) {
  test(`contains the migrations of ${engine.name}`, async () => {
    await using database = await engine.createDatabase();
    const { client } = await start(['--database', database.address]);
    const created = await client.post('/v1/pets', '{"name":"Rex","categoryId":7}');
    expect((await client.get('/v1/pets')).text).toBe(`[${created.text}]`);
    child?.kill('SIGTERM');
    expect(await child?.exited).toBe(0);
  });
}

test('ignores configuration files in the folder where it is started', async () => {
  await Bun.write(folder.file('.env'), 'PETSTORE_PORT=wrong\n');
  await Bun.write(folder.file('bunfig.toml'), 'preload = ["./preload.ts"]\n');
  await Bun.write(folder.file('preload.ts'), 'console.log("loaded");\n');
  expect(await output('migrate')).toBe('sqlite:data/petstore.db is up to date.\n');
});
