import { describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createWebhookClient, type SendOutcome } from '../../src/webhooks/client.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { eventually, eventuallyIs } from '../support/eventually.ts';
import { startRawReceiver, startReceiver } from './receivers.ts';

const ALLOWED = '127.0.0.2';
const SETTINGS = { webhookPorts: [], webhookAllow: [`${ALLOWED}/32`] };
const MEBIBYTE = 1_048_576;
const statusOf = (outcome: SendOutcome) => ('status' in outcome ? outcome.status : outcome);
const requestTo = ({ port }: { readonly port: number }, path = '') => ({
  url: `http://${ALLOWED}:${port}/${path}`,
  headers: {},
  body: '{}',
});

/** Writes the same bytes as fast as they are taken. Returns how many were written. */
function flood(socket: Socket, bytes: string | Buffer, most = 256 * MEBIBYTE): () => number {
  let written = 0;
  const write = () => {
    while (!socket.destroyed && written < most) {
      written += bytes.length;
      if (!socket.write(bytes)) {
        socket.once('drain', write);
        return;
      }
    }
  };
  write();
  return () => written;
}

describe('a receiver that sends without end', () => {
  test('is cut off after 16 KiB of the body, and the first KiB is kept', async () => {
    let written = () => 0;
    await using receiver = await startRawReceiver(ALLOWED, (socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n');
        written = flood(socket, Buffer.alloc(65_536, 'x'));
      });
    });
    const client = createWebhookClient(SETTINGS);
    expect(await client.send(requestTo(receiver))).toMatchObject({
      status: 200,
      body: 'x'.repeat(1_024),
    });
    // Less than the buffers of the sockets hold.
    expect(written()).toBeLessThan(32 * MEBIBYTE);
    client.close();
  });

  test.each([
    ['headers', 'HTTP/1.1 200 OK\r\n', `X-Header: ${'x'.repeat(1_000)}\r\n`],
    ['one header', 'HTTP/1.1 200 OK\r\nX-Header: ', 'x'.repeat(65_536)],
    ['a reason', 'HTTP/1.1 200 ', 'x'.repeat(65_536)],
    ['interim responses', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2_000)],
    ['interim responses with headers', '', `HTTP/1.1 103 A\r\nLink: ${'x'.repeat(9_000)}\r\n\r\n`],
    ['no HTTP', '', 'SSH-2.0-OpenSSH_9.2p1\r\n'],
  ])('is cut off: %s', async (_, first, then) => {
    let written = () => 0;
    await using receiver = await startRawReceiver(ALLOWED, (socket) => {
      socket.once('data', () => {
        socket.write(first);
        written = flood(socket, then);
      });
    });
    const client = createWebhookClient(SETTINGS);
    expect(await client.send(requestTo(receiver))).toMatchObject({ failure: 'invalid_response' });
    expect(written()).toBeLessThan(32 * MEBIBYTE);
    client.close();
  });

  test.each([
    ['extensions of a chunk', '5;a=', 'x'.repeat(65_536)],
    ['trailers', '0\r\n', `X-Trailer: ${'x'.repeat(1_000)}\r\n`],
    ['empty extensions of chunks', '', `1;${'a'.repeat(1_000)}\r\nx\r\n`],
  ])('is cut off, and its status counts: %s', async (_, first, then) => {
    let written = () => 0;
    await using receiver = await startRawReceiver(ALLOWED, (socket) => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${first}`);
        written = flood(socket, then);
      });
    });
    const client = createWebhookClient(SETTINGS);
    expect(statusOf(await client.send(requestTo(receiver)))).toBe(200);
    expect(written()).toBeLessThan(64 * MEBIBYTE);
    client.close();
  });
});

describe('a response', () => {
  test('is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(16 * MEBIBYTE));
    await using receiver = await startReceiver(ALLOWED, (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const client = createWebhookClient(SETTINGS);
    const outcome = await client.send(requestTo(receiver));
    expect(statusOf(outcome)).toBe(200);
    expect('body' in outcome && outcome.body.length).toBeLessThanOrEqual(1_024);
    client.close();
  });

  test('is text without control characters, cut between characters', async () => {
    const bodies = {
      controls: 'a\0b\u001b[31mc\u202ed\r\n\te\u009bf',
      long: `${'x'.repeat(1_023)}ž`,
      invalid: Buffer.from([0x61, 0xff, 0x62]),
    };
    await using receiver = await startReceiver(ALLOWED, ({ url }, response) => {
      const body = Object.entries(bodies).find(([name]) => url === `/${name}`)?.[1];
      response.writeHead(200, { 'retry-after': 'x'.repeat(100) }).end(body);
    });
    const client = createWebhookClient(SETTINGS);
    const sent = (path: string) => client.send(requestTo(receiver, path));
    expect(await sent('controls')).toMatchObject({
      body: 'a\ufffdb\ufffd[31mc\ufffdd\ufffd\n\te\ufffdf',
      retryAfter: 'x'.repeat(64),
    });
    expect(await sent('long')).toMatchObject({ body: 'x'.repeat(1_023) });
    expect(await sent('invalid')).toMatchObject({ body: 'a\ufffdb' });
    client.close();
  });

  test('needs a final status', async () => {
    await using receiver = await startRawReceiver(ALLOWED, (socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n'));
    });
    const client = createWebhookClient(SETTINGS, { timeoutMs: 5_000 });
    expect(await client.send(requestTo(receiver))).toMatchObject({ failure: 'invalid_response' });
    client.close();
  });

  test('of another protocol ends the attempt', async () => {
    await using receiver = await startRawReceiver(ALLOWED, (socket) => {
      socket.once('data', () => {
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
        );
      });
    });
    const client = createWebhookClient(SETTINGS);
    expect(await client.send(requestTo(receiver))).toMatchObject({ failure: 'invalid_response' });
    client.close();
  });
});

describe('a slow receiver', () => {
  const QUICK = { timeoutMs: 1_500 };

  test('that accepts and stays silent ends in a timeout, and is disconnected', async () => {
    let closed = 0;
    await using receiver = await startRawReceiver(ALLOWED, (socket) => {
      socket.resume().on('close', () => closed++);
    });
    const client = createWebhookClient(SETTINGS, QUICK);
    expect(await client.send(requestTo(receiver))).toMatchObject({
      failure: 'timeout',
      reason: 'The receiver did not respond in time.',
    });
    await eventuallyIs(() => closed, 1);
    client.close();
  });

  test.each([
    ['the head', 'HTTP/1.1 200 OK\r\nX-A: ', { failure: 'timeout' }],
    // The status has arrived, so the event is delivered.
    ['the body', 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n', { status: 200 }],
  ])('that drips %s is disconnected at the same time', async (_, first, expected) => {
    let closed = 0;
    await using receiver = await startRawReceiver(ALLOWED, (socket) => {
      const drip = setInterval(() => socket.write('x'), 10);
      socket.write(first);
      socket.resume().on('close', () => {
        clearInterval(drip);
        closed += 1;
      });
    });
    const client = createWebhookClient(SETTINGS, QUICK);
    expect(await client.send(requestTo(receiver))).toMatchObject(expected);
    await eventuallyIs(() => closed, 1);
    client.close();
  });

  test('of DNS ends in a timeout', async () => {
    await using dns = await startDnsServer(() => 'silence');
    const client = createWebhookClient(SETTINGS, { ...QUICK, dnsServers: [dns.address] });
    const outcome = await client.send({ url: 'https://shop.test/', headers: {}, body: '' });
    expect(outcome).toMatchObject({ failure: 'timeout' });
    client.close();
  });

  test('of DNS holds up at most 32 requests that create a webhook', async () => {
    const names = new Set<string>();
    await using dns = await startDnsServer((name) => {
      names.add(name);
      return 'silence';
    });
    const client = createWebhookClient(SETTINGS, { dnsServers: [dns.address] });
    const check = (n: number) => client.problemOf(`https://n${n}.test/`);
    const waiting = Array.from({ length: 32 }, (_, n) => check(n));
    expect(await check(99)).toBeUndefined();
    expect(await client.problemOf('https://10.0.0.1/')).toMatch(/public internet/);
    expect(await Promise.all(waiting)).toEqual(Array(32).fill(undefined));
    expect(names.has('n99.test')).toBe(false);
    client.close();
  });

  test('holds up no other, even if there are a thousand', async () => {
    await using silent = await startRawReceiver(ALLOWED, (socket) => socket.resume());
    await using receiver = await startReceiver(ALLOWED);
    await using dns = await startDnsServer((name) =>
      name === 'shop.test' ? [ALLOWED] : 'silence',
    );
    const client = createWebhookClient(SETTINGS, { dnsServers: [dns.address] });
    const stopping = new AbortController();
    const hanging = Array.from({ length: 1_000 }, (_, index) =>
      index % 2 === 0
        ? client.send(requestTo(silent), stopping.signal)
        : client.send({ ...requestTo(silent), url: `https://n${index}.test/` }, stopping.signal),
    );
    await eventually(silent.connections, (count) => count === 500);
    const url = `http://shop.test:${receiver.port}/`;
    expect(statusOf(await client.send({ ...requestTo(receiver), url }))).toBe(200);
    // None of them has ended before.
    const ended = await Promise.race([Promise.any(hanging), Promise.resolve('none')]);
    expect(ended).toBe('none');
    stopping.abort();
    for (const outcome of await Promise.all(hanging)) {
      expect(outcome).toMatchObject({ failure: 'aborted' });
    }
    client.close();
  });
});

describe('idle connections', () => {
  test('are at most 4 to one receiver and 256 in all', async () => {
    let open = 0;
    await using receiver = await startRawReceiver('0.0.0.0', (socket) => {
      open += 1;
      socket.on('close', () => open--);
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    });
    const client = createWebhookClient({ webhookPorts: [], webhookAllow: ['127.0.0.0/8'] });
    await Promise.all(Array.from({ length: 20 }, () => client.send(requestTo(receiver))));
    await eventually(
      () => open,
      (count) => count <= 4,
    );
    const before = receiver.connections();
    for (let round = 0; round < 2; round += 1) {
      const urls = Array.from(
        { length: 300 },
        (_, n) => `http://127.1.${n >> 8}.${n & 255}:${receiver.port}/`,
      );
      await Promise.all(urls.map((url) => client.send({ ...requestTo(receiver), url })));
    }
    // The second round found at most 256 idle connections for its 300 receivers.
    expect(receiver.connections() - before).toBeGreaterThanOrEqual(344);
    client.close();
    await eventuallyIs(() => open, 0);
  });
});
