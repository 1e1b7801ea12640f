import { beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, fstatSync, readdirSync, readSync } from 'node:fs';
import { Failure } from '../../src/domain/failure.ts';
import { createUploads, type Uploads } from '../../src/http/upload.ts';
import { forEachTest } from '../support/lifetime.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { createTestTime, type TestTime } from '../support/test-time.ts';

const STALL_MS = 20_000;
const WHOLE_MS = 600_000;
const BYTES_MAX = 1_000;

let time: TestTime;
let uploads: Uploads;
const folder = forEachTest(() => createTemporaryFolder());
beforeEach(() => {
  time = createTestTime();
  uploads = createUploads({ directory: folder.path, stallMs: STALL_MS }, time);
});

/** A body whose parts a test sends one by one. */
function createBody() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const send = (text: string) => writer.write(new TextEncoder().encode(text));
  return {
    readable,
    send,
    end: () => writer.close(),
    abort: () => writer.abort(new Error('gone')),
  };
}

function receive(body: Bun.BodyInit, sender = 1n, headers = {}) {
  const kept: number[] = [];
  const all = { 'content-type': 'Text/CSV; charset=utf-8', ...headers };
  const request = new Request('http://shelter.example/', { method: 'POST', body, headers: all });
  const stored = uploads.receive({
    request,
    sender,
    bytesMax: BYTES_MAX,
    keepOpen: (milliseconds) => kept.push(milliseconds),
  });
  // Each test looks at it later.
  stored.catch(() => {});
  return { stored, kept };
}

async function refusal(stored: Promise<unknown>): Promise<Failure> {
  const error = await stored.catch((reason: unknown) => reason);
  if (error instanceof Failure) return error;
  throw new Error(`not refused: ${String(error)}`);
}

/** Lets the reader take what was sent. */
const settle = () => Bun.sleep(0);

describe('an upload', () => {
  test('is stored in a file without a name that only its owner can read', async () => {
    const { stored } = receive('name\nRex\n');
    const { descriptor, bytes, digest, name } = await stored;
    const { mode, nlink, size } = fstatSync(descriptor);
    expect([mode & 0o777, nlink, size, bytes]).toEqual([0o600, 0, 9, 9]);
    expect(readdirSync(folder.path)).toEqual([]);
    expect(name).toBeUndefined();
    expect(digest).toBe(Bun.SHA256.hash('name\nRex\n', 'hex'));
    const content = Buffer.alloc(20);
    expect(content.toString('utf8', 0, readSync(descriptor, content, 0, 20, 0))).toBe(
      'name\nRex\n',
    );
    closeSync(descriptor);
  });

  test.each([
    ['declared', { 'content-length': String(BYTES_MAX + 1) }],
    ['sent', {}],
  ])('is refused when more than the limit is %s', async (_, headers) => {
    const { stored } = receive('x'.repeat(BYTES_MAX + 1), 1n, headers);
    expect((await refusal(stored)).code).toBe('body_too_large');
    expect(uploads.count()).toBe(0);
  });

  test('is refused when no bytes arrive for too long, and not before', async () => {
    const body = createBody();
    const { stored } = receive(body.readable);
    for (let n = 0; n < 3; n++) {
      await body.send('x');
      await settle();
      time.advance(STALL_MS - 1);
      await settle();
      expect(uploads.count()).toBe(1);
    }
    time.advance(1);
    const failure = await refusal(stored);
    expect(failure.code).toBe('invalid_request');
    expect(failure.details.endsConnection).toBe(true);
    expect(uploads.count()).toBe(0);
  });

  test('is refused when it takes too long as a whole, and keeps its connection until then', async () => {
    const body = createBody();
    const { stored, kept } = receive(body.readable);
    for (let passed = 0; passed < WHOLE_MS; passed += STALL_MS / 2) {
      await Promise.race([body.send('x'), settle()]);
      await settle();
      time.advance(STALL_MS / 2);
    }
    expect((await refusal(stored)).message).toContain('within 600 s');
    expect(kept.length).toBeGreaterThan(50);
    expect(new Set(kept)).toEqual(new Set([STALL_MS]));
  });

  test('is refused when the connection breaks off', async () => {
    const body = createBody();
    const { stored } = receive(body.readable);
    await body.send('x');
    void body.abort().catch(() => {});
    expect((await refusal(stored)).code).toBe('invalid_request');
  });

  test('is refused when the file cannot be created', async () => {
    uploads = createUploads({ directory: folder.file('missing'), stallMs: STALL_MS }, time);
    const failure = await refusal(receive('x').stored);
    expect(failure.code).toBe('service_unavailable');
    expect(failure.details.retryAfterSeconds).toBe(60);
    expect(String(failure.details.cause)).toContain('ENOENT');
  });
});

describe('uploads at once', () => {
  test('are bounded for each sender and in all, and make room when they end', async () => {
    const bodies = [1n, 1n, 2n, 2n].map((sender) => {
      const body = createBody();
      return { body, ...receive(body.readable, sender) };
    });
    for (const sender of [1n, 2n]) {
      expect((await refusal(receive('x', sender).stored)).code).toBe('service_unavailable');
    }
    const [first, ...others] = bodies;
    await first?.body.end();
    closeSync((await first?.stored)?.descriptor ?? -1);
    closeSync((await receive('x', 1n).stored).descriptor);
    for (const { body, stored } of others) {
      await body.end();
      closeSync((await stored).descriptor);
    }
    expect(uploads.count()).toBe(0);
  });

  test('of two senders leave room for a third and a fourth, who lose none', async () => {
    const sent = [1n, 1n, 2n, 2n, 3n, 4n].map((sender) => {
      const body = createBody();
      return { body, sender, ...receive(body.readable, sender) };
    });
    await settle();
    for (const { body } of sent) await Promise.race([body.end().catch(() => {}), settle()]);
    const ends = sent.map(async ({ sender, stored }) => {
      const upload = await stored.catch(() => undefined);
      if (upload) closeSync(upload.descriptor);
      return [sender, upload !== undefined];
    });
    expect(await Promise.all(ends)).toEqual([
      [1n, true],
      [1n, false],
      [2n, true],
      [2n, false],
      [3n, true],
      [4n, true],
    ]);
    expect(uploads.count()).toBe(0);
  });

  test('give way to others who wait when they only trickle', async () => {
    const trickles = [1n, 2n, 3n, 4n].map((sender) => {
      const body = createBody();
      return { body, ...receive(body.readable, sender) };
    });
    const trickle = async () => {
      for (const { body } of trickles) await Promise.race([body.send('x'), settle()]);
      await settle();
      time.advance(STALL_MS / 2);
    };
    // Nobody waits for a place yet.
    for (let n = 0; n < 6; n++) await trickle();
    expect(uploads.count()).toBe(4);
    const turnedAway = await refusal(receive('x', 5n).stored);
    expect(turnedAway.details.retryAfterSeconds).toBe(10);
    await trickle();
    await settle();
    expect(uploads.count()).toBe(0);
    for (const { stored } of trickles) {
      expect((await refusal(stored)).code).toBe('service_unavailable');
    }
    closeSync((await receive('x', 5n).stored).descriptor);
  });
});
