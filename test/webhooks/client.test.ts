import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type ClientParts,
  createWebhookClient,
  type SendOutcome,
  type WebhookClient,
} from '../../src/webhooks/client.ts';
import type { TargetSettings } from '../../src/webhooks/target-rules.ts';
import { type DnsAnswer, type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { HOSTILE_NAMES, hostileTargets } from './hostile-targets.ts';
import { type Receiver, startRawReceiver, startReceiver } from './receivers.ts';

/** An address of this machine that the tests allow; 127.0.0.1 stays inside. */
const ALLOWED = '127.0.0.2';
/** Nothing listens there. */
const DEAD = '127.0.0.3';
const HEADERS = { 'content-type': 'application/json', 'user-agent': 'petstore' };

function request(url: string) {
  return { url, headers: HEADERS, body: '{"type":"webhook.test"}' };
}

const statusOf = (outcome: SendOutcome) => ('status' in outcome ? outcome.status : outcome);

/** The answers of the DNS server; a test adds its names. */
const answers = new Map<string, (family: 4 | 6, asked: number) => DnsAnswer>();
let dns: DnsServer;

beforeAll(async () => {
  dns = await startDnsServer(
    (name, family, asked) => answers.get(name)?.(family, asked) ?? HOSTILE_NAMES[name] ?? [],
  );
});
afterAll(() => dns[Symbol.asyncDispose]());

function open(settings: Partial<TargetSettings> = {}, parts: ClientParts = {}): WebhookClient {
  const allowing = { webhookPorts: [], webhookAllow: [`${ALLOWED}/32`, `${DEAD}/32`], ...settings };
  return createWebhookClient(allowing, { dnsServers: [dns.address], ...parts });
}

describe('a hostile target', () => {
  let inside: Receiver;
  beforeAll(async () => {
    // On every address of this machine, IPv4 and IPv6.
    inside = await startRawReceiver('::', (socket) => socket.end());
  });
  afterAll(() => inside[Symbol.asyncDispose]());

  test('is refused when a webhook is created and at every attempt, without a connection', async () => {
    const client = open({ webhookPorts: [inside.port], webhookAllow: [] });
    for (const [attempt, url] of hostileTargets(inside.port)) {
      const shown = `${attempt}: ${JSON.stringify(url)}`;
      expect([shown, await client.problemOf(url)]).toEqual([
        shown,
        expect.stringMatching(/^must /),
      ]);
      const outcome = await client.send(request(url));
      expect([shown, outcome]).toEqual([
        shown,
        expect.objectContaining({ failure: 'refused_target' }),
      ]);
    }
    expect(inside.connections()).toBe(0);
    client.close();
  });

  test('would have been reached if it were allowed', async () => {
    const everything = ['0.0.0.0/0', '::/0'];
    const client = open({ webhookPorts: [inside.port], webhookAllow: everything });
    const before = inside.connections();
    for (const host of ['127.0.0.1', '[::1]', 'localhost', 'loopback.test', 'loopback6.test']) {
      await client.send(request(`http://${host}:${inside.port}/`));
    }
    expect(inside.connections() - before).toBe(5);
    client.close();
  });
});

describe('a name whose address changes', () => {
  test('is dialled at the address that was checked, and checked again at the next attempt', async () => {
    await using receiver = await startReceiver(ALLOWED);
    await using inside = await startReceiver('127.0.0.1', undefined, { port: receiver.port });
    answers.set('rebinding.test', (family, asked) =>
      family === 6 ? [] : [asked === 0 ? ALLOWED : '127.0.0.1'],
    );
    let now = 0;
    const client = open({}, { now: () => now });
    const url = `http://rebinding.test:${receiver.port}/`;
    const questions = () => dns.questions.filter((name) => name === 'rebinding.test').length;
    expect(statusOf(await client.send(request(url)))).toBe(200);
    expect(receiver.requests).toHaveLength(1);
    // A second question between check and connection would have got the other address.
    expect(questions()).toBe(1);
    // For a second, the checked address is used again.
    now = 999;
    expect(statusOf(await client.send(request(url)))).toBe(200);
    expect(questions()).toBe(1);
    now = 1_000;
    // A connection to the old address is still open; it is not used for a name that has left it.
    expect(await client.send(request(url))).toMatchObject({
      failure: 'refused_target',
      reason: 'The URL must use https.',
    });
    expect([receiver.connections(), inside.connections()]).toEqual([1, 0]);
    client.close();
  });

  test('is refused when only one of its addresses is inside', async () => {
    await using receiver = await startReceiver(ALLOWED);
    answers.set('half.test', (family) => (family === 4 ? [ALLOWED, '10.0.0.1'] : []));
    const client = open({ webhookPorts: [receiver.port] });
    const url = `https://half.test:${receiver.port}/`;
    expect(await client.send(request(url))).toMatchObject({ failure: 'refused_target' });
    expect(await client.problemOf(url)).toBe('must name a host on the public internet');
    expect(receiver.connections()).toBe(0);
    client.close();
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('of status %i is not followed', async (status) => {
    await using inside = await startReceiver('127.0.0.1');
    await using receiver = await startReceiver(ALLOWED, (_, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${inside.port}/` }).end();
    });
    const client = open();
    const outcome = await client.send(request(`http://${ALLOWED}:${receiver.port}/`));
    expect(statusOf(outcome)).toBe(status);
    expect([receiver.connections(), inside.connections()]).toEqual([1, 0]);
    client.close();
  });
});

describe('a request', () => {
  test('arrives with its headers and its body, and the response is reported', async () => {
    await using receiver = await startReceiver(ALLOWED, (_, response) => {
      response.writeHead(503, { 'retry-after': '120' }).end('später');
    });
    answers.set('shop.test', (family) => (family === 4 ? [ALLOWED] : []));
    const client = open();
    const url = `http://shop.test:${receiver.port}/hooks?a=b`;
    const body = '{"name":"Žofie"}';
    const outcome = await client.send({ ...request(url), body });
    expect(outcome).toEqual({
      status: 503,
      retryAfter: '120',
      body: 'später',
      milliseconds: expect.any(Number),
    });
    expect(receiver.requests).toEqual([
      {
        method: 'POST',
        path: '/hooks?a=b',
        body,
        clientPort: expect.any(Number),
        headers: expect.objectContaining({
          ...HEADERS,
          host: `shop.test:${receiver.port}`,
          'content-length': `${Buffer.byteLength(body)}`,
          'accept-encoding': 'identity',
        }),
      },
    ]);
    client.close();
  });

  test('reuses a connection, and replaces one that the receiver has closed', async () => {
    await using receiver = await startReceiver(ALLOWED);
    const client = open();
    const url = `http://${ALLOWED}:${receiver.port}/`;
    for (let sent = 0; sent < 5; sent += 1) {
      expect(statusOf(await client.send(request(url)))).toBe(200);
    }
    expect(receiver.connections()).toBe(1);
    client.close();
    let served = 0;
    await using closing = await startRawReceiver(ALLOWED, (socket) => {
      let isFirst = true;
      socket.on('data', () => {
        if (!isFirst) return socket.destroy();
        isFirst = false;
        served += 1;
        return socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      });
    });
    for (let sent = 0; sent < 3; sent += 1) {
      const outcome = await client.send(request(`http://${ALLOWED}:${closing.port}/`));
      expect(statusOf(outcome)).toBe(200);
    }
    expect(served).toBe(3);
    client.close();
  });

  test('goes to the next address if one does not accept a connection', async () => {
    await using receiver = await startReceiver(ALLOWED);
    answers.set('moved.test', (family) => (family === 4 ? [DEAD, ALLOWED] : []));
    const client = open();
    const outcome = await client.send(request(`http://moved.test:${receiver.port}/`));
    expect(statusOf(outcome)).toBe(200);
    client.close();
  });

  test('that a receiver may have got does not go to the next address', async () => {
    await using receiver = await startReceiver(ALLOWED);
    await using closing = await startRawReceiver(
      DEAD,
      (socket) => socket.once('data', () => socket.destroy()),
      receiver.port,
    );
    answers.set('closing.test', (family) => (family === 4 ? [DEAD, ALLOWED] : []));
    const client = open();
    expect(await client.send(request(`http://closing.test:${receiver.port}/`))).toMatchObject({
      reason: 'The receiver closed the connection before it responded.',
    });
    expect([closing.connections(), receiver.connections()]).toEqual([1, 0]);
    client.close();
  });

  test('to a name or port that does not exist fails with a reason', async () => {
    const client = open({}, { timeoutMs: 60_000 });
    const outcome = (url: string) => client.send(request(url));
    expect(await outcome('https://missing.test/')).toMatchObject({
      failure: 'unresolved_name',
      reason: 'The name has no address.',
    });
    expect(await client.problemOf('https://missing.test/')).toBeUndefined();
    expect(await outcome(`http://${DEAD}:9/`)).toMatchObject({
      failure: 'connection_failed',
      reason: 'The receiver refused the connection.',
    });
    client.close();
  });

  test('ends when the service stops', async () => {
    await using receiver = await startRawReceiver(ALLOWED, () => {});
    const client = open();
    const stopping = new AbortController();
    const sending = client.send(request(`http://${ALLOWED}:${receiver.port}/`), stopping.signal);
    stopping.abort();
    expect(await sending).toMatchObject({ failure: 'aborted', reason: 'The service is stopping.' });
    const late = client.send(request(`http://${ALLOWED}:${receiver.port}/`), stopping.signal);
    expect(await late).toMatchObject({ failure: 'aborted' });
    client.close();
  });
});
