import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { findServiceManager } from '../../src/server/service-manager.ts';
import { eventually } from '../support/eventually.ts';
import { openNotifySocket } from '../support/notify-socket.ts';
import { startServing } from '../support/serving.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const WATCHDOG = 'WATCHDOG=1';

/** Fails the test if anything is reported. */
const silent = (problem: string) => {
  throw new Error(problem);
};

describe('systemd hears', () => {
  test('from petstore serve that it is ready, goes on, and stops', async () => {
    const path = folder.file('notify');
    using systemd = openNotifySocket(path);
    await using serving = await startServing({
      PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}`,
      NOTIFY_SOCKET: path,
      WATCHDOG_USEC: '20000',
    });
    const status = `READY=1\nSTATUS=Serving on http://127.0.0.1:${serving.port}/v1`;
    const heard = await eventually(systemd.messages, (all) => all.length > 5);
    expect(heard.filter((message) => message !== WATCHDOG)).toEqual([status]);
    serving.child.kill('SIGTERM');
    expect(await serving.child.exited).toBe(0);
    expect(await serving.errors).toBe('');
    const all = systemd.messages().filter((message) => message !== WATCHDOG);
    expect(all).toEqual([status, 'STOPPING=1']);
  });

  test('nothing while the main thread is stuck', async () => {
    const path = folder.file('notify');
    using systemd = openNotifySocket(path);
    await findServiceManager({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '10000' }, silent).ready('x');
    await eventually(systemd.messages, (all) => all.length > 3);
    const count = systemd.messages().length;
    const end = performance.now() + 100;
    while (performance.now() < end);
    expect(systemd.messages()).toHaveLength(count);
    await eventually(systemd.messages, (all) => all.length > count + 3);
  });

  test.each([
    ['no watchdog is set', {}],
    ['the watchdog is for another process', { WATCHDOG_USEC: '1000', WATCHDOG_PID: '1' }],
    ['the watchdog is off', { WATCHDOG_USEC: '0' }],
  ])('once where %s', async (_, variables) => {
    // An abstract name, which needs no file.
    const path = `@${folder.file('notify')}`;
    using systemd = openNotifySocket(path);
    const manager = findServiceManager({ NOTIFY_SOCKET: path, ...variables }, silent);
    await manager.ready('x');
    Bun.gc(true);
    await Bun.sleep(20);
    manager.stopping();
    expect(systemd.messages()).toEqual(['READY=1\nSTATUS=x', 'STOPPING=1']);
  });
});

describe('nobody hears', () => {
  test.each(['vsock:2:1', '/nowhere/notify', `/${'x'.repeat(200)}`])(
    'at %s, which is reported',
    async (path) => {
      const problems: string[] = [];
      const manager = findServiceManager({ NOTIFY_SOCKET: path }, (problem) => {
        problems.push(problem);
      });
      await manager.ready('x');
      manager.stopping();
      expect(problems).toEqual([`nobody at NOTIFY_SOCKET=${path} hears that the service is ready`]);
    },
    30_000,
  );

  test('where nobody started the process', async () => {
    await findServiceManager({}, silent).ready('x');
    await findServiceManager({ NOTIFY_SOCKET: '' }, silent).ready('x');
  });
});
