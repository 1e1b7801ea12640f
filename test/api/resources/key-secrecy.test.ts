import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { COPIED } from '../../../src/storage/tables.ts';
import { idOf } from '../../support/animals.ts';
import type { ClientResponse } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forEachTest(() => startPetstore());

const keyIn = ({ text }: ClientResponse): string => JSON.parse(text).key;

/** The files of the database, or everything in its tables. */
async function stored(): Promise<string> {
  const rows = await Promise.all(
    COPIED.map((name) => petstore.database.sql(`SELECT * FROM ${name}`)),
  );
  const path = petstore.database.address.replace(/^sqlite:/, '');
  const files = [path, `${path}-wal`].filter((file) => existsSync(file));
  const texts = files.map((file) => readFileSync(file, 'latin1'));
  return [Bun.inspect(rows, { depth: 9 }), ...texts].join('\n');
}

test('a new key is only in the response that creates it', async () => {
  const others: string[] = [];
  const headers = { 'idempotency-key': 'mine' };
  const body = { name: 'A shop', plan: 'pro', scopes: ['admin'] };
  const created = await petstore.admin.post('/v1/keys', body, headers);
  const path = `/v1/keys/${idOf(created)}`;
  const rotated = await petstore.admin.post(`${path}/rotate`, {}, headers);
  expect([created.status, rotated.status]).toEqual([201, 201]);

  for (const [target, sent] of [
    ['/v1/keys', body],
    [`${path}/rotate`, {}],
  ] as const) {
    const replay = await petstore.admin.post(target, sent, headers);
    expect(expectError(replay, 'conflict')).toContain('which is not shown again');
    expect(replay.headers.get('idempotent-replayed')).toBeNull();
    others.push(replay.text, JSON.stringify([...replay.headers]));
    const reused = await petstore.admin.post(target, { ...sent, name: 'B' }, headers);
    expectError(reused, 'idempotency_key_reused');
    others.push(reused.text);
  }
  others.push((await petstore.admin.get('/v1/keys')).text);
  others.push((await petstore.admin.get(path)).text);
  others.push((await petstore.admin.patch(path, { name: 'B' })).text);
  others.push((await petstore.admin.send('POST', `${path}/unban`, { headers })).text);
  others.push(await (await fetch(petstore.metricsUrl)).text());

  const [row] = await petstore.database.sql(
    "SELECT * FROM idempotent_results WHERE operation = 'createKey'",
  );
  expect(row?.['body']).toBe(`{"id":${idOf(created)}}`);
  const log = await eventually(
    () => petstore.log.join(''),
    (lines) => lines.includes('createKey'),
  );
  const database = await stored();
  expect(database).toContain('A shop');
  for (const key of [keyIn(created), keyIn(rotated)]) {
    const random = key.slice('petstore_live_'.length, -6);
    for (const text of [log, database, ...others]) expect(text).not.toContain(random);
  }
});

test('a repeat creates no second key', async () => {
  const headers = { 'idempotency-key': 'mine' };
  const create = () => petstore.admin.post('/v1/keys', { name: 'A', plan: 'pro' }, headers);
  const first = await create();
  const before = await petstore.storage.keys.list();
  for (const again of await Promise.all([create(), create()])) {
    expect(again.status).toBe(409);
  }
  expect(expectError(await create(), 'conflict')).toContain(`created key ${idOf(first)}`);
  expect(await petstore.storage.keys.list()).toHaveLength(before.length);
});
