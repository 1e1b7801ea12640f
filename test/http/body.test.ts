import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createAwaitedBodies } from '../../src/http/awaited-bodies.ts';
import { BODY_BYTES_MAX, createBodyReader } from '../../src/http/body.ts';

/** Longer than any body in these tests takes. */
const TIMEOUT_MS = 3_600_000;
const HTTP = join(import.meta.dir, '../../src/http');
const SENDER = 1n;

describe('a body', () => {
  const chunks = (count: number, length: number) =>
    new ReadableStream<Uint8Array>({
      async start(controller) {
        for (let i = 0; i < count; i++) {
          await Bun.sleep(0);
          controller.enqueue(new Uint8Array(length));
        }
        controller.close();
      },
    });
  const post = (body: ReadableStream | string | null, headers = {}) =>
    new Request('http://x/', { method: 'POST', body, headers });

  test('without a length is read to its end, but not beyond the bound', async () => {
    const read = createBodyReader(createAwaitedBodies({ timeoutMs: TIMEOUT_MS }));
    expect((await read(post(chunks(4, BODY_BYTES_MAX / 4)), SENDER)).length).toBe(BODY_BYTES_MAX);
    expect((await read(post(null), SENDER)).length).toBe(0);
    const tooMuch = read(post(chunks(5, BODY_BYTES_MAX / 4)), SENDER);
    expect(await tooMuch.catch((failure) => failure.code)).toBe('body_too_large');
  });

  test('that declares too great a length is refused unread', () => {
    const read = createBodyReader(createAwaitedBodies({ timeoutMs: TIMEOUT_MS }));
    const request = post('x', { 'content-length': String(BODY_BYTES_MAX + 1) });
    expect(() => read(request, SENDER)).toThrow('at most');
    expect(request.bodyUsed).toBe(false);
  });

  test('that has arrived does not keep the process alive until its timeout', async () => {
    const code = `
      const { createAwaitedBodies } = await import(${JSON.stringify(join(HTTP, 'awaited-bodies.ts'))});
      const { createBodyReader } = await import(${JSON.stringify(join(HTTP, 'body.ts'))});
      const request = new Request('http://x/', { method: 'POST', body: 'here' });
      const read = createBodyReader(createAwaitedBodies({ timeoutMs: ${TIMEOUT_MS} }));
      const bytes = await read(request, 1n);
      process.stdout.write(String(bytes.length));
    `;
    const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe', timeout: 30_000 });
    expect(await child.stdout.text()).toBe('4');
    expect(await child.exited).toBe(0);
  }, 60_000);
});
