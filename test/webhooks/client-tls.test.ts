import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type ClientParts,
  createWebhookClient,
  type SendOutcome,
} from '../../src/webhooks/client.ts';
import { type Certificates, createCertificates } from '../support/certificates.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { type HttpReceiver, startReceiver } from './receivers.ts';

const ALLOWED = '127.0.0.2';
const request = (url: string) => ({ url, headers: {}, body: '{}' });
const statusOf = (outcome: SendOutcome) => ('status' in outcome ? outcome.status : outcome);

describe('TLS', () => {
  let certificates: Certificates;
  let authority: string;
  let receiver: HttpReceiver;
  let dns: DnsServer;
  const open = (parts: ClientParts = {}, webhookAllow = [`${ALLOWED}/32`]) =>
    createWebhookClient(
      { webhookPorts: [], webhookAllow },
      { dnsServers: [dns.address], ...parts },
    );
  const url = (name: string) => `https://${name}:${receiver.port}/`;

  beforeAll(async () => {
    certificates = await createCertificates();
    const subjects = `DNS:shop.test,DNS:other.test,IP:${ALLOWED}`;
    const files = await certificates.issue('shop', 'ec', subjects);
    authority = await Bun.file(certificates.authority).text();
    const tls = {
      cert: await Bun.file(files.cert).text(),
      key: await Bun.file(files.key).text(),
    };
    receiver = await startReceiver(ALLOWED, undefined, { tls });
    dns = await startDnsServer((name, family) =>
      family === 4 && ['shop.test', 'other.test', 'wrong.test'].includes(name) ? [ALLOWED] : [],
    );
  });
  afterAll(async () => {
    await dns[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    certificates[Symbol.dispose]();
  });

  test('is checked for the name of the URL, also when a connection to the address is open', async () => {
    const client = open({ authority });
    const first = receiver.requests.length;
    expect(statusOf(await client.send(request(url('shop.test'))))).toBe(200);
    expect(await client.send(request(url('wrong.test')))).toMatchObject({
      failure: 'certificate_invalid',
      reason: 'The certificate is for another name.',
    });
    expect(statusOf(await client.send(request(url('shop.test'))))).toBe(200);
    expect(statusOf(await client.send(request(url('other.test'))))).toBe(200);
    const [one, two, other] = receiver.requests.slice(first).map(({ clientPort }) => clientPort);
    // Two names never share a connection, even if the certificate is for both.
    expect(two).toBe(one);
    expect(other).not.toBe(one);
    expect(receiver.requests.slice(first)).toHaveLength(3);
    client.close();
  });

  test('is checked for the address if the URL has no name', async () => {
    const client = open({ authority }, ['127.0.0.0/8', '::1']);
    expect(statusOf(await client.send(request(url(ALLOWED))))).toBe(200);
    await using wrong = await startReceiver('::1', undefined, {
      tls: {
        cert: await Bun.file(certificates.certificate).text(),
        key: await Bun.file(certificates.key).text(),
      },
    });
    expect(await client.send(request(`https://[::1]:${wrong.port}/`))).toMatchObject({
      reason: 'The certificate is for another name.',
    });
    expect(wrong.requests).toEqual([]);
    client.close();
  });

  test('needs a known authority, whatever the environment says', async () => {
    const before = receiver.requests.length;
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const client = open();
      expect(await client.send(request(url('shop.test')))).toMatchObject({
        failure: 'certificate_invalid',
        reason: 'The certificate is not signed by a known authority.',
      });
      client.close();
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
    expect(receiver.requests).toHaveLength(before);
  });

  test('is needed for https', async () => {
    await using plain = await startReceiver(ALLOWED);
    const client = open({ authority });
    const outcome = await client.send(request(`https://${ALLOWED}:${plain.port}/`));
    expect(outcome).toMatchObject({ reason: 'TLS could not be established.' });
    expect(plain.requests).toEqual([]);
    client.close();
  });
});
