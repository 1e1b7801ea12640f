import { describe, expect, test } from 'bun:test';
import { askRaw, parseAnswer } from '../../bench/wire.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nX-Kind: animal\r\n';
const whole = `${HEAD}Content-Length: 5\r\n\r\n{"ü"}`.replace('5', '6');
const chunked = `${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\n{"\xc3\r\n3;why=not\r\n\xbc"}\r\n0\r\n\r\n`;

/** An answer as bytes, where each character is one. */
const bytesOf = (text: string) => Buffer.from(text, 'latin1');

describe('an answer as it comes over the wire', () => {
  test.each([
    ['of a declared length', Buffer.from(whole)],
    ['in chunks, which part a character', bytesOf(chunked)],
  ])('%s is read when all of it is there, and no more than it', (_, received) => {
    for (let length = 0; length < received.length; length++) {
      expect(parseAnswer(received.subarray(0, length))).toBeUndefined();
    }
    const response = parseAnswer(Buffer.concat([received, Buffer.from('HTTP/1.1 500 the next')]));
    expect(response).toMatchObject({ status: 200, body: '{"ü"}', bytes: received.length });
    expect(response?.fields[0]).toEqual(['X-Kind', 'animal']);
  });

  test.each([
    ['says nothing of its length', `${HEAD}\r\n{}`],
    ['has a chunk without a size', `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`],
  ])('that %s is an error', (_, text) => {
    expect(() => parseAnswer(bytesOf(text))).toThrow('an answer');
  });

  test('comes from a server in chunks as from one that declares its length', async () => {
    const animals = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, name: 'Lücy' })));
    async function* parts() {
      for (let at = 0; at < animals.length; at += 1_000) yield animals.slice(at, at + 1_000);
    }
    await using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => new Response(url.endsWith('/chunks') ? parts() : animals),
    });
    const ask = (path: string) =>
      askRaw(server.url.origin, { method: 'GET', path, headers: {}, body: '' });
    const [inChunks, declared] = await Promise.all([ask('/chunks'), ask('/')]);
    expect(inChunks.fields).toContainEqual(['Transfer-Encoding', 'chunked']);
    expect(inChunks.body).toBe(animals);
    expect(declared.body).toBe(animals);
  });
});
