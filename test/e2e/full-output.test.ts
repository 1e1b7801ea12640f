import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { runPetstore, spawnPetstore } from '../support/command-line.ts';
import { eventuallyIs } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

// Each test starts a server, and a signal counts as another one only after a second.
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
 * Serves with standard output redirected to a file, and returns the address once it responds.
 * `errors` redirects standard error, in shell syntax.
 */
async function serveTo(output: string, flags: readonly string[] = [], errors = '') {
  const port = freePort();
  const redirect = ['sh', '-c', `exec "$@" >'${output}' ${errors}`, 'sh'];
  const settings = { PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}` };
  // Otherwise the server reports the new database on standard error.
  if (errors === '') await runPetstore(['migrate'], settings);
  const started = spawnPetstore(['serve', '--port', String(port), ...flags], settings, redirect);
  child = started;
  const url = `http://127.0.0.1:${port}`;
  await eventuallyIs(() => statusOf(`${url}/livez`), 200);
  return { child: started, url };
}

/** The status of a response; undefined if there is none. */
async function statusOf(url: string): Promise<number | undefined> {
  return fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );
}

/** Sends enough requests to fill several writes with log lines. */
async function fillLog(url: string): Promise<void> {
  for (let i = 0; i < 40; i++) {
    const paths = Array.from({ length: 50 }, (_, j) => `${url}/${i}/${j}/${'x'.repeat(200)}`);
    expect(await Promise.all(paths.map(statusOf))).toEqual(paths.map(() => 404));
  }
}

/** A full pipe, which only the test reads. */
function createFullPipe(): { readonly path: string; drain(): void } & Disposable {
  const path = folder.file('pipe');
  expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0);
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const untilBlocked = (work: () => void) => {
    try {
      for (;;) work();
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
  };
  untilBlocked(() => writeSync(descriptor, Buffer.alloc(4_096)));
  return {
    path,
    drain: () => untilBlocked(() => readSync(descriptor, Buffer.alloc(65_536))),
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

describe('a service whose output', () => {
  test('is a full disk serves, and exits with 0 on SIGTERM', async () => {
    const { child, url } = await serveTo('/dev/full');
    await fillLog(url);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(await child.stderr.text()).toBe(`Serving on ${url}/v1\n`);
  });

  test('and standard error are a full disk serves', async () => {
    const { child, url } = await serveTo('/dev/full', [], '2>&1');
    await fillLog(url);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  });

  test('is a full pipe serves, and exits with 0 on SIGTERM', async () => {
    using pipe = createFullPipe();
    const { child, url } = await serveTo(pipe.path);
    await fillLog(url);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(await child.stderr.text()).toBe(`Serving on ${url}/v1\n`);
  });

  test('is a full pipe exits at once on a second signal', async () => {
    using pipe = createFullPipe();
    const { child, url } = await serveTo(pipe.path, ['--shutdown-delay', '1h']);
    await fillLog(url);
    child.kill('SIGTERM');
    await eventuallyIs(() => statusOf(`${url}/readyz`), 503);
    await Bun.sleep(1_100);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(1);
  });

  test('is a pipe writes the waiting lines once somebody reads it', async () => {
    using pipe = createFullPipe();
    const { child, url } = await serveTo(pipe.path);
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

  test('is a pipe without a reader keeps serving, and exits with 0 on SIGTERM', async () => {
    const path = folder.file('pipe');
    expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { child, url } = await serveTo(path);
    closeSync(reader);
    await fillLog(url);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(await child.stderr.text()).toBe(`Serving on ${url}/v1\n`);
  });
});
