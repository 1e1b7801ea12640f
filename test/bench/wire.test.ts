import { describe, expect, test } from 'bun:test';
import { parseResponse, sendRequest } from '../../bench/wire.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nX-Kind: animal\r\n';
const whole = `${HEAD}Content-Length: 5\r\n\r\n{"ü"}`.replace('5', '6');
const chunked = `${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\n{"\xc3\r\n3;why=not\r\n\xbc"}\r\n0\r\n\r\n`;

/** A response as bytes, one per character. */
const bytesOf = (text: string) => Buffer.from(text, 'latin1');

describe('a response on the wire', () => {
  test.each([
    ['of a declared length', Buffer.from(whole)],
    ['in chunks, which part a character', bytesOf(chunked)],
  ])('%s is read once it is complete, and not beyond its end', (_, received) => {
    for (let length = 0; length < received.length; length++) {
      expect(parseResponse(received.subarray(0, length))).toBeUndefined();
    }
    const response = parseResponse(Buffer.concat([received, Buffer.from('HTTP/1.1 500 the next')]));
    expect(response).toMatchObject({ status: 200, body: '{"ü"}', bytes: received.length });
    expect(response?.headers[0]).toEqual(['X-Kind', 'animal']);
  });

  test.each([
    ['declares no length', `${HEAD}\r\n{}`],
    ['has a chunk without a size', `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`],
  ])('that %s is an error', (_, text) => {
    expect(() => parseResponse(bytesOf(text))).toThrow('a response');
  });

  test('is the same in chunks and with a declared length', async () => {
    const animals = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, name: 'Lücy' })));
    async function* parts() {
      for (let at = 0; at < animals.length; at += 1_000) yield animals.slice(at, at + 1_000);
    }
    await using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => new Response(url.endsWith('/chunks') ? parts() : animals),
    });
    const get = (path: string) =>
      sendRequest(server.url.origin, { method: 'GET', path, headers: {}, body: '' });
    const [inChunks, declared] = await Promise.all([get('/chunks'), get('/')]);
    expect(inChunks.headers).toContainEqual(['Transfer-Encoding', 'chunked']);
    expect(inChunks.body).toBe(animals);
    expect(declared.body).toBe(animals);
  });
});
