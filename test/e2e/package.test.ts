import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventuallyIs } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dir, '../..');
const DATABASE = '/var/lib/petstore/petstore.db';
const port = freePort();

// Builds the executable, and packs it.
setDefaultTimeout(300_000);

let folder: TemporaryFolder;
/** The root of a Debian that differs from this machine only in what the package does to it. */
let debian: string;
let deb: string;

/** Runs a command inside; fails with its output. */
async function inside(...command: string[]): Promise<string> {
  const child = Bun.spawn(['chroot', debian, ...command], { stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${out}${err}`);
  return out;
}

const isThere = (path: string) => existsSync(join(debian, path));

/** Starts the service as the unit does. */
async function serve() {
  const unit = await Bun.file(join(debian, 'usr/lib/systemd/system/petstore.service')).text();
  const set = [...unit.matchAll(/^Environment=(.+)$/gm)].map(([, setting = '']) => setting);
  const [, command = ''] = /^ExecStart=(.+)$/m.exec(unit) ?? [];
  const run = ['runuser', '-u', 'petstore', '--', 'env', '-C', '/var/lib/petstore', ...set];
  const flags = ['--port', String(port), '--ops-port', '0'];
  const child = Bun.spawn(['chroot', debian, ...run, ...command.split(' '), ...flags], {
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await eventuallyIs(
    () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status, String),
    200,
  );
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}

async function list(key: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}` };
  return await (await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers })).json();
}

beforeAll(async () => {
  folder = createTemporaryFolder();
  const disk = folder.file('disk');
  debian = folder.file('disk/root');
  mkdirSync(disk);
  // Most file systems below containers cannot hold the changes of an overlay.
  await Bun.$`mount -t tmpfs tmpfs ${disk}`;
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(disk, name));
  const layers = `lowerdir=/,upperdir=${disk}/upper,workdir=${disk}/work`;
  await Bun.$`mount -t overlay overlay -o ${layers} ${debian}`;
  await Bun.$`mount --bind /proc ${debian}/proc`;
  await Bun.$`DEB_COMPRESSION=none ${ROOT}/.ci/pack ${folder.file('release')}`.quiet();
  const [name = ''] = [...new Bun.Glob('*.deb').scanSync(folder.file('release'))];
  deb = folder.file(`release/${name}`);
});
afterAll(async () => {
  await Bun.$`umount ${debian}/proc ${debian} ${folder.file('disk')}`.nothrow().quiet();
  folder[Symbol.dispose]();
});

/** The same package as of a later release. */
async function laterPackage(): Promise<string> {
  const unpacked = folder.file('later');
  await Bun.$`dpkg-deb -R ${deb} ${unpacked}`;
  await Bun.$`sed -i 's/^Version: .*/Version: 99.0.0/' ${unpacked}/DEBIAN/control`;
  const later = folder.file('later.deb');
  await Bun.$`dpkg-deb --root-owner-group -Znone -b ${unpacked} ${later}`.quiet();
  return later;
}

async function install(file: string): Promise<void> {
  await Bun.$`cp ${file} ${debian}/petstore.deb`;
  await inside('dpkg', '--install', '--force-depends', '/petstore.deb');
}

test('the package is installed, serves, is upgraded and removed, and keeps the shop until it is purged', async () => {
  await install(deb);
  expect(await inside('petstore', '--version')).toMatch(/^\d+\.\d+\.\d+( \([0-9a-f]{12}\))?\n$/);
  expect(await inside('stat', '-c', '%U %a', '/var/lib/petstore', DATABASE)).toBe(
    'petstore 700\npetstore 600\n',
  );
  const petstore = ['runuser', '-u', 'petstore', '--', 'petstore'];
  const database = ['--database', `sqlite:${DATABASE}`];
  const options = ['--name', 'a test', '--plan', 'pro', '--scopes', 'write', '--json'];
  const { key } = JSON.parse(await inside(...petstore, 'keys', 'create', ...options, ...database));
  {
    await using _ = await serve();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
    const added = await fetch(`http://127.0.0.1:${port}/v1/pets`, {
      method: 'POST',
      headers,
      body,
    });
    expect(added.status).toBe(201);
  }

  await install(await laterPackage());
  expect(await inside('dpkg', '--status', 'petstore')).toContain('\nVersion: 99.0.0\n');
  {
    await using _ = await serve();
    expect(await list(key)).toMatchObject([{ name: 'Rex' }]);
  }

  await inside('dpkg', '--remove', 'petstore');
  expect([isThere('usr/bin/petstore'), isThere(DATABASE)]).toEqual([false, true]);
  // What comes back finds its shop, and makes no other one.
  await install(deb);
  {
    await using _ = await serve();
    expect(await list(key)).toHaveLength(1);
  }

  await inside('dpkg', '--purge', 'petstore');
  expect([isThere('var/lib/petstore'), isThere('usr/bin/petstore')]).toEqual([false, false]);
  expect(await inside('sh', '-c', 'getent passwd petstore || echo none')).toBe('none\n');
});
