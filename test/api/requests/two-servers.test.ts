import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { openServer } from '../../../src/server/server.ts';
import { readConfig } from '../../../src/settings/config.ts';
import { openLog } from '../../../src/telemetry/log.ts';
import { examined, findingsLike } from '../../doctor/examination.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { createTemporaryFolder } from '../../support/temporary.ts';

// The last test starts and kills a process, which is slow on a busy machine.
setDefaultTimeout(60_000);

const SERVER = new URL('../../../src/main.ts', import.meta.url).pathname;
const WARNING =
  /another server uses this database \(process \d+ on .*\), and each counts limits by itself/;

let database: string;
let lines: string[];
const folder = forEachTest(() => createTemporaryFolder());
beforeEach(() => {
  database = `sqlite:${folder.file('petstore.db')}`;
  lines = [];
});

const settings = (more: Readonly<Record<string, string>> = {}) => ({
  PETSTORE_DATABASE: database,
  PETSTORE_LIMITS: 'memory:',
  PETSTORE_PORT: '0',
  PETSTORE_OPS_PORT: 'off',
  ...more,
});

/** Starts a server that writes its warnings to `lines`. */
const start = (more?: Readonly<Record<string, string>>) =>
  openServer(readConfig({}, settings(more)), {
    log: openLog('warn', { write: (line) => lines.push(line) }),
  });
const warnings = () => lines.filter((line) => WARNING.test(line)).length;
const found = async () =>
  findingsLike(await examined(settings()), 'limits', /two servers use this database/).map(
    ({ verdict }) => verdict,
  );

describe('two servers on one SQLite file that count limits in memory', () => {
  test('are noticed when the second one starts, and by doctor while both run', async () => {
    const first = await start();
    expect([warnings(), await found()]).toEqual([0, []]);
    const second = await start();
    expect([warnings(), await found()]).toEqual([1, ['bad']]);
    // The check took no slot.
    expect(await found()).toEqual(['bad']);
    const third = await start();
    expect(warnings()).toBe(2);
    await third.close();
    await first.close();
    expect(await found()).toEqual([]);
    const fourth = await start();
    expect([warnings(), await found()]).toEqual([3, ['bad']]);
    await second.close();
    await fourth.close();
    const next = await start();
    expect(warnings()).toBe(3);
    await next.close();
    for (const n of [1, 2]) expect(existsSync(folder.file(`petstore.db-server${n}`))).toBe(false);
  });

  test('are noticed across processes; one that was killed leaves no trace', async () => {
    const child = Bun.spawn([process.execPath, SERVER, 'serve'], {
      env: { ...process.env, ...settings() },
      stdout: 'pipe',
      stderr: 'ignore',
    });
    const reader = child.stdout.getReader();
    await reader.read();
    const second = await start();
    expect([warnings(), await found()]).toEqual([1, ['bad']]);
    await second.close();
    child.kill('SIGKILL');
    await child.exited;
    const third = await start();
    expect([warnings(), await found()]).toEqual([1, []]);
    await third.close();
  });
});

test('servers that share their limits cause no warning', async () => {
  // Nothing listens there: each counts on its own for now, as its own warning says.
  const shared = { PETSTORE_LIMITS: 'redis://127.0.0.1:1' };
  const first = await start(shared);
  const second = await start(shared);
  expect(warnings()).toBe(0);
  await first.close();
  await second.close();
});
