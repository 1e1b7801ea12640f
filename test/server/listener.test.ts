import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Certificate } from '../../src/server/certificate.ts';
import { openListener } from '../../src/server/listener.ts';
import { createCertificates } from '../support/certificates.ts';
import { forEachTest } from '../support/lifetime.ts';

describe(`a listener with TLS`, () => {
  const certificates = forEachTest(() => createCertificates());

  async function issue(name: string): Promise<Certificate> {
    const { cert, key } = await certificates.issue(name);
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8'), endsAt: 0 };
  }

  const open = async () =>
    await openListener({
      host: '127.0.0.1',
      port: 0,
      idleTimeoutMs: 10_000,
      bodyTimeoutMs: 10_000,
      certificate: await issue('first'),
    });

  test('that drains while it changes its certificate waits for the requests under way', async () => {
    const listener = await open();
    const renewed = await issue('second');
    const arrived = Promise.withResolvers<void>();
    const response = Promise.withResolvers<Response>();
    listener.serve(() => {
      arrived.resolve();
      return response.promise;
    });
    const ca = readFileSync(certificates.authority, 'utf8');
    const received = fetch(listener.url, { tls: { ca } });
    await arrived.promise;
    const renewal = listener.renew(renewed);
    let isDrained = false;
    const drained = listener.drain().finally(() => {
      isDrained = true;
    });
    // Without the request, it would be over in much less time.
    await Bun.sleep(200);
    expect(isDrained).toBe(false);
    response.resolve(new Response('done'));
    expect(await (await received).text()).toBe('done');
    await Promise.all([drained, renewal]);
    expect(fetch(listener.url, { tls: { ca } })).rejects.toThrow();
  }, 20_000);

  test('that has drained binds nothing for a new certificate', async () => {
    const listener = await open();
    listener.serve(async () => new Response('served'));
    await listener.drain();
    await listener.renew(await issue('second'));
    const ca = readFileSync(certificates.authority, 'utf8');
    expect(fetch(listener.url, { tls: { ca } })).rejects.toThrow();
  });
});
