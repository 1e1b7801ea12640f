import { describe, expect, test } from 'bun:test';
import { settingFindings } from '../../src/doctor/settings.ts';
import { readSettings } from '../../src/settings/config.ts';
import { type Setting, settings } from '../../src/settings/settings.ts';
import type { TestSettings } from '../support/start.ts';
import { examined, troubles, verdictOn } from './examination.ts';

const found = (variables: TestSettings) => [
  ...settingFindings(readSettings({}, variables), variables),
];
const BASE_URL = 'https://petstore.example/v1';

describe('the settings', () => {
  test('are valid by default', () => {
    expect(troubles(found({}))).toEqual([]);
    expect(verdictOn(found({}), 'settings', /All settings are valid/)).toBe('good');
  });

  test('that are wrong are all reported at once, without passwords', () => {
    const findings = found({
      PETSTORE_PORT: 'http',
      PETSTORE_DATABASE: 'mysql://shop:s3cret@db.example/pets',
      PETSTORE_BASE_URL: 'petstore.example',
    });
    expect(troubles(findings)).toEqual([
      expect.stringMatching(/^bad settings: PETSTORE_DATABASE must be sqlite:PATH/),
      expect.stringMatching(/^bad settings: PETSTORE_PORT must be a whole number/),
      expect.stringMatching(/^bad settings: PETSTORE_BASE_URL must be an http/),
    ]);
    expect(JSON.stringify(findings)).not.toContain('s3cret');
  });

  test('that keep who changed what for less long than events', () => {
    expect(troubles(found({ PETSTORE_AUDIT_KEEP: '30d' }))).toEqual([
      'advice settings: PETSTORE_AUDIT_KEEP is shorter than PETSTORE_EVENTS_KEEP, which counts for both.',
    ]);
  });

  test('with an unknown name are reported with the name that may be meant', () => {
    const findings = found({ PETSTORE_DATABSE: 'x', PETSTORE: 'y', OTHER: 'z' });
    expect(troubles(findings)).toEqual([
      'advice settings: PETSTORE_DATABSE is not a setting, so it has no effect.',
    ]);
    const [unknown] = findings.filter(({ verdict }) => verdict === 'advice');
    expect(unknown?.todo).toContain('meant PETSTORE_DATABASE,');
    const every = Object.values<Setting<unknown>>(settings);
    const all = Object.fromEntries(every.map(({ variable }) => [variable, '']));
    expect(troubles(found(all))).toEqual([]);
  });

  test('for other machines need the address that these use', () => {
    const open = { PETSTORE_HOST: '0.0.0.0' };
    const links =
      'advice settings: The service listens on 0.0.0.0, and links in its responses point there.';
    expect(troubles(found(open))).toEqual([links]);
    expect(troubles(found({ ...open, PETSTORE_BASE_URL: BASE_URL }))).toEqual([]);
    const staging = { ...open, PETSTORE_ENVIRONMENT: 'staging' };
    expect(troubles(found({ ...staging, PETSTORE_BASE_URL: BASE_URL }))).toEqual([links]);
    expect(troubles(found({ ...staging, PETSTORE_STAGING_BASE_URL: BASE_URL }))).toEqual([]);
    for (const host of ['127.0.0.1', '127.0.3.1', '::1', 'localhost']) {
      expect(troubles(found({ PETSTORE_HOST: host }))).toEqual([]);
    }
  });

  test('for a service behind a proxy name the proxy', () => {
    const behind = { PETSTORE_BASE_URL: BASE_URL };
    expect(troubles(found(behind))).toEqual([
      expect.stringMatching(
        /^advice settings: https:\S+ must reach \S+ through a proxy, but no proxy is trusted/,
      ),
    ]);
    expect(troubles(found({ ...behind, PETSTORE_TRUSTED_PROXIES: '127.0.0.1' }))).toEqual([]);
    expect(troubles(found({ PETSTORE_BASE_URL: 'http://127.0.0.1:8080/v1' }))).toEqual([]);
    expect(troubles(found({ PETSTORE_BASE_URL: 'http://[::1]:8080/v1' }))).toEqual([]);
    for (const everybody of ['0.0.0.0/0', '10.0.0.0/8,::/0']) {
      expect(troubles(found({ PETSTORE_TRUSTED_PROXIES: everybody }))).toEqual([
        'advice settings: Every caller can pretend to have any address with X-Forwarded-For.',
      ]);
    }
  });

  test('for metrics that other machines reach are worth a thought', () => {
    const open = { PETSTORE_OPS_HOST: '0.0.0.0' };
    expect(troubles(found(open))).toEqual([
      'advice settings: Anyone who can reach 0.0.0.0 can read /metrics without a key.',
    ]);
    expect(troubles(found({ ...open, PETSTORE_OPS_PORT: 'off' }))).toEqual([]);
  });

  test('for many instances share their limits', () => {
    const many = { PETSTORE_DATABASE: 'postgres://shop@db.example/pets' };
    expect(troubles(found(many))).toEqual([
      expect.stringMatching(/^advice limits: Each instance counts only its own requests/),
    ]);
    const shared = { ...many, PETSTORE_LIMITS: 'redis://valkey.example' };
    expect(troubles(found(shared))).toEqual([]);
  });

  test('that are wrong leave everything else to be looked at', async () => {
    const findings = await examined({
      PETSTORE_PORT: 'http',
      PETSTORE_DATABASE: 'sqlite::memory:',
    });
    expect(verdictOn(findings, 'settings', /PETSTORE_PORT/)).toBe('bad');
    expect(verdictOn(findings, 'database', /only in memory/)).toBe('advice');
    expect(verdictOn(findings, 'limits', /counted in the memory/)).toBe('good');
    expect(findings.filter(({ area }) => area === 'ports')).toEqual([]);
    const without = await examined({ PETSTORE_DATABASE: 'x', PETSTORE_LIMITS: 'x' });
    expect([...new Set(without.map(({ area }) => area))]).toEqual(['settings', 'clock', 'ports']);
  });
});

describe('the clock', () => {
  test.each([
    ['the epoch', 0, 'bad'],
    ['before this release', Date.UTC(2025, 11, 31, 23, 59, 59), 'bad'],
    ['today', Date.UTC(2026, 0, 1), 'good'],
    ['in the next century', Date.UTC(2100, 0, 1), 'bad'],
  ] as const)('%s', async (_name, now, verdict) => {
    const findings = await examined({ PETSTORE_DATABASE: 'sqlite::memory:' }, now);
    expect(verdictOn(findings, 'clock', /UTC\.$/)).toBe(verdict);
  });
});
