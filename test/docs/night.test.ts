import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/open.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { examplesIn } from './examples.ts';

const ROOT = join(import.meta.dir, '../..');
const OPERATING = readFileSync(join(ROOT, 'docs/OPERATING.md'), 'utf8');
/** Several processes, on a machine that may be busy. */
const TEST_MS = 120_000;

/** Stand-ins for root's programs: the service is a process of the test, and its user is whoever runs it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  petstore: `exec '${process.execPath}' '${join(ROOT, 'src/main.ts')}' "$@"`,
  runuser: 'shift 3; exec "$@"',
  systemctl: `
case "$1" in stop|restart) kill "$(cat "$SERVICE.pid")"; while kill -0 "$(cat "$SERVICE.pid")" 2>/dev/null; do sleep 0.05; done;; esac
case "$1" in start|restart) petstore serve >"$SERVICE.log" 2>&1 & echo $! >"$SERVICE.pid"
  until grep -q 'Serving on' "$SERVICE.log"; do sleep 0.05; done;; esac`,
};

let folder: TemporaryFolder;
let database: string;
beforeEach(async () => {
  folder = createTemporaryFolder();
  for (const name of ['bin', 'data', 'backups']) mkdirSync(folder.file(name));
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeFileSync(folder.file(`bin/${name}`), `#!/bin/bash\n${script}\n`);
    chmodSync(folder.file(`bin/${name}`), 0o755);
  }
  database = `sqlite:${folder.file('data/petstore.db')}`;
  await add('Rex');
  await run('umask 077; systemctl start petstore');
}, TEST_MS);
afterEach(async () => {
  await run('systemctl stop petstore');
  folder[Symbol.dispose]();
}, TEST_MS);

async function add(name: string): Promise<void> {
  const storage = await openStorage(database, 'production');
  // Commands have the clock of the machine.
  const stamp = { at: Date.now(), keyId: null };
  await storage.pets.create({ name, categoryId: 1n, status: 'available' }, stamp);
  await storage.close();
}

async function names(): Promise<string[]> {
  const storage = await openStorage(database, 'production');
  const { items } = await storage.pets.list({}, { afterId: undefined, limit: 100 });
  await storage.close();
  return items.map(({ name }) => name);
}

/** Runs lines in a shell, as somebody types them, and returns what they print. */
async function run(lines: string): Promise<string> {
  const child = Bun.spawn(['bash'], {
    env: {
      PATH: `${folder.file('bin')}:/usr/bin:/bin`,
      SERVICE: folder.file('service'),
      PETSTORE_DATABASE: database,
      PETSTORE_PORT: '0',
      PETSTORE_OPS_PORT: 'off',
    },
    stdin: new Blob([lines]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return output + errors;
}

/** The lines of a section for this folder. */
function linesOf(section: string): string {
  const [, text = ''] = OPERATING.split(`\n${section}\n`);
  const [example] = examplesIn(text);
  return (example?.text ?? '')
    .replaceAll('/var/lib/petstore', folder.file('data'))
    .replaceAll('/backups', folder.file('backups'))
    .replaceAll('/usr/local/bin', folder.file('bin'));
}

test(
  'the lines of “Restore” bring back a backup, and keep the old database',
  async () => {
    const name = /\S+\.backup/.exec(linesOf('### Restore'))?.[0] ?? '';
    await run(`petstore backup ${name}`);
    await add('Mia');
    const printed = await run(linesOf('### Restore'));
    expect(printed).not.toContain('WRONG');
    expect(await names()).toEqual(['Rex']);
    expect(existsSync(folder.file('data/lost/petstore.db'))).toBe(true);
    expect(readFileSync(folder.file('service.log'), 'utf8')).toContain('Serving on');
  },
  TEST_MS,
);

test(
  'the lines of “Upgrade” serve with the new program, and leave the way back',
  async () => {
    const program = readFileSync(folder.file('bin/petstore'), 'utf8');
    const newer = program.replace('exec', `touch '${folder.file('is-new')}'; exec`);
    writeFileSync(folder.file('data/petstore-new'), newer);
    const printed = await run(linesOf('## Upgrade'));
    expect(printed).toContain('Backed up');
    expect(printed).not.toContain('WRONG');
    expect(existsSync(folder.file('is-new'))).toBe(true);
    expect(readFileSync(folder.file('bin/petstore-before'), 'utf8')).toBe(program);
    expect(existsSync(folder.file('data/before.backup'))).toBe(true);
    expect(await names()).toEqual(['Rex']);
  },
  TEST_MS,
);
