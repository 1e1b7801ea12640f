import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { Upload } from '../../src/domain/upload.ts';
import { createDecoder } from '../../src/photos/decoder.ts';
import { picture } from '../support/pictures.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

let folder: ReturnType<typeof createTemporaryFolder>;
let upload: Upload;
let good: Uint8Array<ArrayBuffer>;

beforeEach(async () => {
  folder = createTemporaryFolder();
  good = await picture(60, 40);
  upload = uploadOf(good);
});
afterEach(() => {
  closeSync(upload.descriptor);
  folder[Symbol.dispose]();
});

function uploadOf(bytes: Uint8Array, name = 'photo'): Upload {
  const path = folder.file(name);
  writeFileSync(path, bytes);
  return {
    descriptor: openSync(path, 'r'),
    bytes: bytes.length,
    digest: '',
  };
}

/** A command in place of the decoder, which runs this program. */
const program = (source: string) => [process.execPath, '-e', source];
const HANGING = program('setInterval(() => {}, 1000)');
const failureOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  );
  return [error?.code, error?.message, error?.details?.retryAfterSeconds];
};

describe('the process that decodes', () => {
  test('is ended when it takes too long, and the next photo is decoded', async () => {
    const decoder = createDecoder({ command: HANGING, limitMs: 150 });
    const startedAt = performance.now();
    const message =
      'The photo took too much time or memory to decode; nothing was changed, try again shortly.';
    expect(await failureOf(decoder.decode(upload, 1n))).toEqual([
      'service_unavailable',
      message,
      5,
    ]);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(await failureOf(decoder.decode(upload, 1n))).toEqual([
      'service_unavailable',
      message,
      5,
    ]);
  });

  test('that is killed for want of memory is no fault of the file', async () => {
    const decoder = createDecoder({ command: program('process.kill(process.pid, "SIGKILL")') });
    expect((await failureOf(decoder.decode(upload, 1n)))[0]).toBe('service_unavailable');
  });

  test('that cannot be started is no fault of the file', async () => {
    const decoder = createDecoder({ command: [folder.file('no-program')] });
    expect(await failureOf(decoder.decode(upload, 1n))).toEqual([
      'service_unavailable',
      'The photo cannot be decoded now; nothing was changed, try again shortly.',
      5,
    ]);
  });

  test.each([
    ['crashes', 'process.kill(process.pid, "SIGSEGV")'],
    ['says nothing', ''],
    ['writes no JSON', 'console.log("nonsense")'],
    ['gives no reason', 'console.log(JSON.stringify({ problem: "other" }))'],
    [
      'writes a page as a picture',
      'const bytes = "<html>"; console.log(JSON.stringify({ width: 1, height: 1, frames: [{ format: "jpg", width: 1, bytes: bytes.length }] })); process.stdout.write(bytes)',
    ],
    [
      'writes fewer bytes than it says',
      'console.log(JSON.stringify({ width: 1, height: 1, frames: [{ format: "webp", width: 1, bytes: 900 }] }))',
    ],
    ['names another path', 'console.log(JSON.stringify({ width: "../1", height: 1, frames: [] }))'],
  ])('that %s makes no photo', async (_, source) => {
    const decoder = createDecoder({ command: program(source) });
    expect((await failureOf(decoder.decode(upload, 1n))).slice(0, 2)).toEqual([
      'invalid_request',
      'The file is damaged: it cannot be decoded.',
    ]);
  });

  test('that writes without end is ended', async () => {
    const flood = 'for (;;) process.stdout.write(Buffer.alloc(1_000_000))';
    const decoder = createDecoder({ command: program(flood) });
    expect((await failureOf(decoder.decode(upload, 1n)))[0]).toBe('service_unavailable');
  });

  test('gets nothing from the environment of the service', async () => {
    process.env['PETSTORE_TEST_SECRET'] = 'hunter2';
    const tell = 'await Bun.write(Bun.argv.at(-1), JSON.stringify(process.env))';
    const decoder = createDecoder({ command: [...program(tell), folder.file('environment')] });
    await failureOf(decoder.decode(upload, 1n));
    delete process.env['PETSTORE_TEST_SECRET'];
    const told = await Bun.file(folder.file('environment')).text();
    expect(told).toStartWith('{');
    expect(told).not.toContain('hunter2');
  });
});

describe('the queue of photos', () => {
  test('decodes one after the other, and all that wait', async () => {
    const decoder = createDecoder();
    const results = await Promise.all([
      decoder.decode(upload, 1n),
      decoder.decode(upload, 1n),
      decoder.decode(upload, 2n),
    ]);
    expect(results.map(({ width }) => width)).toEqual([60, 60, 60]);
  });

  test('has room for four of a family and eight of all, of which two families leave one to a third', async () => {
    const decoder = createDecoder({ command: HANGING, limitMs: 60_000 });
    const all = [1n, 1n, 1n, 1n, 1n, 2n, 2n, 2n, 2n].map((family) =>
      failureOf(decoder.decode(upload, family)),
    );
    const full = 'Too many photos wait to be decoded; nothing was changed, try again shortly.';
    const refused = ['service_unavailable', full, 5];
    expect(await failureOf(decoder.decode(upload, 1n))).toEqual(refused);
    const third = failureOf(decoder.decode(upload, 3n));
    // The newest of those that wait.
    expect(await all[4]).toEqual(refused);
    await decoder.end();
    expect((await third)[1]).not.toBe(full);
    const messages = (await Promise.all(all)).map(([, message]) => message);
    expect(messages.filter((message) => message === full)).toHaveLength(1);
  });

  test('takes the families in turn, whoever came first', async () => {
    const name =
      'require("fs").appendFileSync(Bun.argv.at(-1), require("fs").readFileSync(0, "utf8"))';
    const decoder = createDecoder({ command: [...program(name), folder.file('order')] });
    const uploads = ['1', '1', '1', '2', '1', '3', '2'].map((family) => ({
      family: BigInt(family),
      upload: uploadOf(Buffer.from(family), family),
    }));
    await Promise.all(
      uploads.map(({ upload, family }) => failureOf(decoder.decode(upload, family))),
    );
    for (const { upload } of uploads) closeSync(upload.descriptor);
    expect(await Bun.file(folder.file('order')).text()).toBe('1231211');
  });

  test('leaves room for others when one family has all of its own', async () => {
    const decoder = createDecoder({ command: HANGING, limitMs: 60_000 });
    const all = Array.from({ length: 5 }, () => failureOf(decoder.decode(upload, 1n)));
    expect((await failureOf(decoder.decode(upload, 1n)))[1]).toStartWith('Too many photos');
    all.push(failureOf(decoder.decode(upload, 2n)));
    await decoder.end();
    const messages = (await Promise.all(all)).map(([, message]) => String(message));
    expect(messages.filter((message) => message.startsWith('Too many'))).toEqual([]);
  });
});
