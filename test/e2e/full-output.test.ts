import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { runPetstore, spawnPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

// Each starts a server, and a signal is a second one after a second.
setDefaultTimeout(60_000);

let folder: TemporaryFolder;
let child: ReturnType<typeof spawnPetstore> | undefined;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await child?.exited;
  folder[Symbol.dispose]();
});

/**
 * Serves with its standard output on a file, and gives the address once it answers. `errors` says
 * where standard error goes, as a shell has it.
 */
async function serveOnto(output: string, flags: readonly string[] = [], errors = '') {
  const port = freePort();
  const onto = ['sh', '-c', `exec "$@" >'${output}' ${errors}`, 'sh'];
  const settings = { PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}` };
  // Else the server says on standard error that it made one.
  if (errors === '') await runPetstore(['migrate'], settings);
  const started = spawnPetstore(['serve', '--port', String(port), ...flags], settings, onto);
  child = started;
  const url = `http://127.0.0.1:${port}`;
  await eventually(
    () => statusOf(`${url}/livez`),
    (status) => status === 200,
  );
  return { child: started, url };
}

/** Undefined where nothing answers. */
async function statusOf(url: string): Promise<number | undefined> {
  return fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );
}

/** Sends requests with as many lines in the log as several writes take. */
async function fillLog(url: string): Promise<void> {
  for (let i = 0; i < 40; i++) {
    const paths = Array.from({ length: 50 }, (_, j) => `${url}/${i}/${j}/${'x'.repeat(200)}`);
    expect(await Promise.all(paths.map(statusOf))).toEqual(paths.map(() => 404));
  }
}

/** A full pipe. Nobody reads it until the test does. */
function createFullPipe(): { readonly path: string; drain(): void } & Disposable {
  const path = folder.file('pipe');
  expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0);
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const whileItCan = (work: () => void) => {
    try {
      for (;;) work();
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
  };
  whileItCan(() => writeSync(descriptor, Buffer.alloc(4_096)));
  return {
    path,
    drain: () => whileItCan(() => readSync(descriptor, Buffer.alloc(65_536))),
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

describe('a service whose output', () => {
  test('is a full disk serves, and ends on SIGTERM with 0', async () => {
    const { child, url } = await serveOnto('/dev/full');
    await fillLog(url);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(await child.stderr.text()).toBe('');
  });

  test('is a full disk, as is that for errors, serves all the same', async () => {
    const { child, url } = await serveOnto('/dev/full', [], '2>&1');
    await fillLog(url);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  });

  test('is a full pipe serves, and ends on SIGTERM with 0', async () => {
    using pipe = createFullPipe();
    const { child, url } = await serveOnto(pipe.path);
    await fillLog(url);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(await child.stderr.text()).toBe('');
  });

  test('is a full pipe ends at once on a second signal', async () => {
    using pipe = createFullPipe();
    const { child, url } = await serveOnto(pipe.path, ['--shutdown-delay', '1h']);
    await fillLog(url);
    child.kill('SIGTERM');
    await eventually(
      () => statusOf(`${url}/readyz`),
      (status) => status === 503,
    );
    await Bun.sleep(1_100);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(1);
  });

  test('is a pipe that somebody reads at last writes what waited', async () => {
    using pipe = createFullPipe();
    const { child, url } = await serveOnto(pipe.path);
    expect(await statusOf(`${url}/first`)).toBe(404);
    pipe.drain();
    const reader = Bun.file(pipe.path).stream().getReader();
    const decoder = new TextDecoder();
    let text = '';
    while (!text.includes('"/first"')) {
      text += decoder.decode((await reader.read()).value, { stream: true });
    }
    expect(text).toContain('"path":"/first","status":404');
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    await reader.cancel();
  });

  test('is a pipe without a reader serves on, and ends on SIGTERM with 0', async () => {
    const path = folder.file('pipe');
    expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { child, url } = await serveOnto(path);
    closeSync(reader);
    await fillLog(url);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(await child.stderr.text()).toBe('');
  });
});
