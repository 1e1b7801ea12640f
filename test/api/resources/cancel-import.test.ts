import { expect, test } from 'bun:test';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forAllTests(() => startPetstore({ settings: { PETSTORE_MAX_CATEGORIES: '5' } }));

/** Starts an import of this many animals, and returns its path. */
async function start(client = petstore.writer, rows = 3_000, kind = ''): Promise<string> {
  const body = `name,categoryId,Kind\n${'Rex,1,'.concat(kind, '\n').repeat(rows)}`;
  const headers = { 'content-type': 'text/csv' };
  const query = kind === '' ? '' : '?category=Kind';
  const response = await client.send('POST', `/v1/imports${query}`, { headers, body });
  expect(response.status).toBe(202);
  return `/v1/imports/${JSON.parse(response.text).id}`;
}

const ended = (path: string) =>
  eventually(
    async () => JSON.parse((await petstore.writer.get(path)).text),
    ({ endedAt }) => endedAt !== undefined && endedAt !== null,
  );

test('an import is cancelled by its own key', async () => {
  const path = await start();
  expect((await petstore.writer.delete(path)).status).toBe(204);
  expect(await ended(path)).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
  expect((await petstore.writer.delete(path)).status).toBe(204);
});

test('an import of another key is cancelled with the scope admin alone', async () => {
  const path = await start();
  const other = await petstore.keyWith({ scopes: ['write'] });
  expectError(await other.client.delete(path), 'insufficient_scope');
  expect((await petstore.admin.delete(path)).status).toBe(204);
});

test('an import that has ended stays as it is, and one that never was is not found', async () => {
  const path = await start(petstore.writer, 1);
  expect(await ended(path)).toMatchObject({ status: 'completed' });
  expect((await petstore.writer.delete(path)).status).toBe(204);
  expect(await ended(path)).toMatchObject({ status: 'completed', created: 1 });
  expectError(await petstore.writer.delete('/v1/imports/999999'), 'import_not_found');
});

test('categories are bounded: one by one, and those of an import', async () => {
  for (let n = 1; n <= 4; n++) {
    const added = await petstore.writer.post('/v1/categories', { name: `Kind ${n}` });
    expect(added.status).toBe(201);
  }
  const file = (kinds: readonly string[]) => ({
    headers: { 'content-type': 'text/csv' },
    body: `name,Kind\n${kinds.map((kind) => `Rex,${kind}\n`).join('')}`,
  });
  const known = await petstore.writer.send(
    'POST',
    '/v1/imports?category=Kind',
    file(['KIND 1', 'Kind 2', 'Kind 5', 'kind 5']),
  );
  expect(await ended(`/v1/imports/${JSON.parse(known.text).id}`)).toMatchObject({ created: 4 });
  const tooMany = await petstore.writer.send(
    'POST',
    '/v1/imports?category=Kind',
    file(['Kind 1', 'Kind 6']),
  );
  const failed = await ended(`/v1/imports/${JSON.parse(tooMany.text).id}`);
  expect(failed).toMatchObject({ status: 'failed', created: 0 });
  expect(failed.failure.message).toContain('more than 0 new categories');
  const sixth = await petstore.writer.post('/v1/categories', { name: 'Kind 6' });
  expect(expectError(sixth, 'conflict')).toContain('PETSTORE_MAX_CATEGORIES');
});
