import { Database } from 'bun:sqlite';
import { beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS } from '../../src/domain/clock.ts';
import { openStorage } from '../../src/storage/open.ts';
import { runHere } from '../support/command-line.ts';
import { forAllTests } from '../support/lifetime.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { expectFailure } from './workspace.ts';

describe('petstore keys', () => {
  let address: string;
  const folder = forAllTests(() => createTemporaryFolder());
  beforeAll(() => {
    address = `sqlite:${folder.file('petstore.db')}`;
  });

  const keys = (...args: string[]) => runHere(['keys', ...args], { PETSTORE_DATABASE: address });
  /** Runs a command that must print one JSON value and nothing else. */
  const json = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await keys(...args, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^[^\n]+\n$/);
    return JSON.parse(stdout);
  };

  test('create --json prints the key with its plan and scopes', async () => {
    const key = await json('create', '--name', 'Partner', '--plan', 'free');
    expect(key).toEqual({
      id: 1,
      key: expect.stringMatching(/^petstore_live_[0-9A-Za-z]{38}$/),
      name: 'Partner',
      plan: 'free',
      scopes: ['write'],
      perMinute: 60,
      perDay: 1000,
    });
  });

  test('create takes scopes, an expiry and the limits of enterprise', async () => {
    const before = Date.now();
    const key = await json(
      ...['create', '--name', 'Big', '--plan', 'enterprise', '--per-minute', '5000'],
      ...['--per-day', '1000000', '--scopes', 'read,adopt', '--expires', '90d'],
    );
    expect(key).toMatchObject({ perMinute: 5000, perDay: 1_000_000, scopes: ['read', 'adopt'] });
    const [listed] = (await json('list')).filter(({ id }: { id: number }) => id === key.id);
    const end = Date.parse(listed.expiresAt);
    expect(end).toBeGreaterThanOrEqual(before + 90 * DAY_MS);
    expect(end).toBeLessThanOrEqual(Date.now() + 90 * DAY_MS);
  });

  test('create prints the key and says that it is shown only once', async () => {
    const { exitCode, stdout, stderr } = await keys('create', '--name', 'Ann', '--plan', 'pro');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^petstore_live_[0-9A-Za-z]{38}\n/);
    expect(stdout).toContain('300 requests a minute');
    expect(stdout).toMatch(/cannot be shown again/);
  });

  test('the database stores no key, only its hash', async () => {
    const { key } = await json('create', '--name', 'Secret', '--plan', 'free');
    using database = new Database(folder.file('petstore.db'));
    const rows = JSON.stringify(database.query('SELECT * FROM api_keys').all());
    expect(rows).not.toContain('petstore_live_');
    expect(rows).toContain(Bun.SHA256.hash(key, 'hex'));
  });

  test('list shows the data of every key, as JSON and as a table, but no key', async () => {
    const listed = await json('list');
    expect(listed.length).toBeGreaterThan(2);
    expect(listed[0]).toMatchObject({
      id: 1,
      name: 'Partner',
      plan: 'free',
      scopes: ['write'],
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(Date.parse(listed[0].createdAt)).toBeGreaterThan(Date.now() - HOUR_MS);
    const { stdout } = await keys('list');
    expect(stdout.split('\n')[0]).toMatch(/^ID +NAME +PLAN +SCOPES +STATE/);
    expect(stdout).toMatch(/^1 +Partner +free +write +active/m);
    expect(stdout + JSON.stringify(listed)).not.toContain('petstore_live_');
  });

  test('rotate creates a successor, and the old key expires after the overlap', async () => {
    const old = await json('create', '--name', 'Rotated', '--plan', 'business');
    const before = Date.now();
    const successor = await json('rotate', String(old.id), '--overlap', '2h');
    expect(successor).toMatchObject({ name: 'Rotated', plan: 'business', scopes: ['write'] });
    expect(Object.keys(successor)).toEqual(Object.keys(old));
    expect(successor.key).not.toBe(old.key);
    const find = async (id: number) =>
      (await json('list')).find((key: { id: number }) => key.id === id);
    const end = Date.parse((await find(old.id)).expiresAt);
    expect(end).toBeGreaterThanOrEqual(before + 2 * HOUR_MS);
    expect(end).toBeLessThanOrEqual(Date.now() + 2 * HOUR_MS);
    expect((await find(successor.id)).expiresAt).toBeNull();

    const { stdout } = await keys('rotate', String(successor.id));
    expect(stdout).toContain(`Key ${successor.id} still works until`);
    const day = Date.parse((await find(successor.id)).expiresAt) - Date.now();
    expect(day).toBeGreaterThan(23 * HOUR_MS);
    expect(day).toBeLessThanOrEqual(24 * HOUR_MS);
  });

  test('rotate and revoke name the webhooks that the successor keeps', async () => {
    const leaked = await json('create', '--name', 'Leaked', '--plan', 'free');
    const storage = await openStorage(address, 'production');
    const webhook = { url: 'https://a.example', types: null, description: null, createdAt: 1 };
    for (const ownerId of [BigInt(leaked.id), null, BigInt(leaked.id)]) {
      await storage.webhooks.create({ ...webhook, ownerId }, () => 'secret');
    }
    await storage.close();
    const kept = /^Webhooks of the key still get events \(ids 1, 3\)\. .* webhooks list`/;
    const { stdout, stderr } = await keys('rotate', String(leaked.id), '--json');
    expect(stderr).toMatch(kept);
    expect((await keys('revoke', String(leaked.id))).stderr).toMatch(kept);
    expect((await keys('revoke', String(JSON.parse(stdout).id))).stderr).toBe('');
  });

  test('revoke revokes a key only once', async () => {
    const { id } = await json('create', '--name', 'Gone', '--plan', 'free');
    const { exitCode, stdout } = await keys('revoke', String(id));
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Gone');
    const revoked = (await json('list')).find((key: { id: number }) => key.id === id);
    expect(revoked.revokedAt).toBeString();
    expect((await keys('list')).stdout).toMatch(new RegExp(`^${id} +Gone .* revoked`, 'm'));
    expectFailure(await keys('rotate', String(id)), 1, /is revoked/);
    expectFailure(await keys('change', String(id), '--plan', 'pro'), 1, /is revoked/);
  });

  test('change sets the plan of a key', async () => {
    const { id } = await json('create', '--name', 'Grown', '--plan', 'free');
    const numbers = ['--per-minute', '5000', '--per-day', '9000'];
    const { exitCode } = await keys('change', String(id), '--plan', 'enterprise', ...numbers);
    expect(exitCode).toBe(0);
    const find = (key: { id: number }) => key.id === id;
    const changed = (await json('list')).find(find);
    expect(changed).toMatchObject({ plan: 'enterprise', perMinute: 5000, perDay: 9000 });
    await keys('change', String(id), '--plan', 'business');
    expect((await json('list')).find(find)).toMatchObject({ plan: 'business', perMinute: 1000 });
    expectFailure(await keys('change', String(id), '--plan', 'enterprise'), 1, /needs both/);
  });

  test('unban of a key without a ban is no error', async () => {
    const { id } = await json('create', '--name', 'Calm', '--plan', 'free');
    expect(await keys('unban', String(id))).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test.each<[1 | 2, RegExp, string[]]>([
    [1, /no key with the id 999/, ['revoke', '999']],
    [1, /no key with the id 999/, ['unban', '999']],
    [1, /no key with the id 999/, ['change', '999', '--plan', 'free']],
    [1, /no key with the id 999/, ['rotate', '999']],
    [1, /needs both/, ['create', '--name', 'x', '--plan', 'enterprise', '--per-minute', '5']],
    [1, /needs both/, ['create', '--name', 'x', '--plan', 'enterprise']],
    [1, /only the plan enterprise/, ['create', '--name', 'x', '--plan', 'free', '--per-day', '5']],
    [1, /--name must not be blank/, ['create', '--name', ' ', '--plan', 'free']],
    [2, /--name/, ['create', '--plan', 'free']],
    [2, /--plan/, ['create', '--name', 'x']],
    [2, /free, pro, business, enterprise/, ['create', '--name', 'x', '--plan', 'gold']],
    [
      2,
      /read, adopt, write, webhooks, admin/,
      ['create', '--name', 'x', '--plan', 'free', '--scopes', 'all'],
    ],
    [2, /30s, 15m, 24h or 90d/, ['create', '--name', 'x', '--plan', 'free', '--expires', '1 year']],
    [2, /whole number/, ['create', '--name', 'x', '--plan', 'enterprise', '--per-day', '0']],
    [2, /whole number/, ['revoke', 'x']],
    [2, /whole number/, ['revoke', '01']],
    [2, /ID/, ['revoke']],
    [2, /30s, 15m, 24h or 90d/, ['rotate', '1', '--overlap', 'soon']],
    [2, /unknown option/, ['list', '--color']],
    [2, /unknown command/, ['destroy']],
  ])('exits with %d, and %p, for %p', async (exitCode, message, args) => {
    const before = await json('list');
    expectFailure(await keys(...args), exitCode, message);
    expect(await json('list')).toEqual(before);
  });
});
