import { describe, expect, test } from 'bun:test';
import { RELEASE } from '../../src/settings/release.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';

const petstore = forAllTests(() => startPetstore());

describe('outside the API, without a key', () => {
  test('/livez reports that the process is alive, /readyz that it can serve', async () => {
    const live = await petstore.anonymous.get('/livez');
    expect([live.status, live.text]).toEqual([200, '{"status":"live"}']);
    const ready = await petstore.anonymous.get('/readyz');
    expect([ready.status, JSON.parse(ready.text)]).toEqual([
      200,
      {
        status: 'ready',
        ...RELEASE,
        checks: { storage: { ok: true }, limits: { ok: true }, serving: { ok: true } },
      },
    ]);
    expect(ready.headers.get('content-type')).toBe('application/json');
  });

  test.each(['/', '/docs', '/docs/', '/docs/deprecations'])('%s is a page', async (path) => {
    const response = await petstore.anonymous.get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.text).toStartWith('<!doctype html>');
  });

  test.each(['/', '/docs', '/docs/errors'])('%s gives a browser nothing to abuse', async (path) => {
    const { headers } = await petstore.anonymous.get(path);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toContain("frame-ancestors 'none'");
    const scripts = policy.split('; ').filter((part) => part.startsWith('script-src'));
    expect(scripts).toEqual(["script-src 'self'"]);
    expect(policy).not.toContain('unsafe-eval');
    // Only the reference creates styles at run time.
    if (path !== '/docs') expect(policy).not.toContain('unsafe');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('camera=()');
  });

  test('links between the pages work', async () => {
    const seen = new Set(['/']);
    for (const path of seen) {
      const { status, text } = await petstore.anonymous.get(path);
      expect([path, status]).toEqual([path, 200]);
      for (const [, target = ''] of text.matchAll(/(?:href|src)="(\/[^"#]*)/g)) seen.add(target);
    }
    expect(seen.size).toBeGreaterThan(2);
  });

  test.each(['/', '/livez', '/readyz'])('HEAD %s has the length but no body', async (path) => {
    const got = await petstore.anonymous.get(path);
    const head = await petstore.anonymous.head(path);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(got.text)));
  });

  test('limits are neither charged nor shown', async () => {
    for (const path of ['/livez', '/docs', '/nowhere']) {
      const { headers } = await petstore.anonymous.get(path);
      const limits = [...headers.keys()].filter((name) => name.includes('ratelimit'));
      expect(limits).toEqual([]);
    }
  });
});
