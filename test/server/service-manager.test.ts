import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { findServiceManager } from '../../src/server/service-manager.ts';
import { eventually } from '../support/eventually.ts';
import { forEachTest } from '../support/lifetime.ts';
import { openNotifySocket } from '../support/notify-socket.ts';
import { startServing } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

// Each message is a process.
setDefaultTimeout(60_000);

const folder = forEachTest(() => createTemporaryFolder());

const WATCHDOG = 'WATCHDOG=1';
const isOther = (message: string) => message !== WATCHDOG;

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
      WATCHDOG_USEC: '400000',
    });
    const status = `READY=1\nSTATUS=Serving on http://127.0.0.1:${serving.port}/v1`;
    const heard = await eventually(systemd.messages, (all) => all.length > 3);
    expect(heard.filter(isOther)).toEqual([status]);
    serving.child.kill('SIGTERM');
    expect(await serving.child.exited).toBe(0);
    expect(await serving.errors).toBe('');
    const all = await eventually(systemd.messages, (found) => found.filter(isOther).length > 1);
    expect(all.filter(isOther)).toEqual([status, 'STOPPING=1']);
  });

  test('nothing while the main thread is stuck', async () => {
    const path = folder.file('notify');
    using systemd = openNotifySocket(path);
    void findServiceManager({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '200000' }, silent).ready('x');
    await eventually(systemd.messages, (all) => all.length > 2);
    // What was sent before has arrived after the first of these.
    Bun.sleepSync(300);
    const count = systemd.messages().length;
    Bun.sleepSync(1_000);
    expect(systemd.messages()).toHaveLength(count);
    await eventually(systemd.messages, (all) => all.length > count + 1);
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
    const told = manager.ready('x').then(manager.stopping);
    await eventually(systemd.messages, (all) => all.length > 1);
    await told;
    expect(systemd.messages()).toEqual(['READY=1\nSTATUS=x', 'STOPPING=1']);
  });
});

describe('nobody hears', () => {
  test.each(['/nowhere/notify', `/${'x'.repeat(200)}`])(
    'at %s, which is reported',
    async (path) => {
      const problems: string[] = [];
      const report = (problem: string) => void problems.push(problem);
      const manager = findServiceManager({ NOTIFY_SOCKET: path }, report);
      await manager.ready('x');
      await manager.stopping();
      expect(problems).toEqual([
        `systemd-notify cannot tell NOTIFY_SOCKET=${path} that the service is ready`,
      ]);
    },
  );

  test('where nobody started the process', async () => {
    await findServiceManager({}, silent).ready('x');
    await findServiceManager({ NOTIFY_SOCKET: '' }, silent).ready('x');
  });
});
