import { beforeEach, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { eventually } from '../support/eventually.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';

const FOLDER = new URL('files/', import.meta.url).pathname;
const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

const petstore = forAllTests(() => startPetstore());
beforeEach(() => petstore.storage.reset({ at: Date.now(), keyId: null }));

type Ended = Record<string, unknown> & { readonly id: number };

async function imported(body: Bun.BodyInit, query: object = {}, type = 'csv'): Promise<Ended> {
  // Nothing here has to resolve.
  const parameters = new URLSearchParams({ photos: 'false', ...query });
  const response = await petstore.writer.send('POST', `/v1/imports?${parameters}`, {
    headers: { 'content-type': TYPES[type] ?? '' },
    body,
  });
  expect([response.status, response.text]).toEqual([202, expect.anything()]);
  const { id } = JSON.parse(response.text);
  const done = await eventually(
    () => petstore.writer.get(`/v1/imports/${id}`),
    ({ text }) => /"status":"(?:completed|failed)"/.test(text),
  );
  return JSON.parse(done.text);
}
const animals = async () =>
  (await petstore.storage.pets.exportPage(undefined, { afterId: undefined, limit: 100 })).items;

const FILES = readdirSync(FOLDER).filter((name) => name !== 'one-kind.csv');
test.each(FILES)('%s needs no parameter', async (name) => {
  const type = name.replace(/^.*\./, '');
  const done = await imported(readFileSync(`${FOLDER}${name}`), {}, type);
  expect(done['failure']).toBeUndefined();
  const { created, leftBefore } = done;
  expect(Number(created) + Number(leftBefore)).toBeGreaterThan(0);
  expect(done['recognised']).not.toEqual([]);
});

test('a file of one kind needs its category', async () => {
  const file = readFileSync(`${FOLDER}one-kind.csv`);
  expect(await imported(file)).toMatchObject({
    status: 'failed',
    failure: { code: 'invalid_file' },
  });
  expect(await imported(file, { categoryIs: 'Dog' })).toMatchObject({ created: 2 });
});

test('those that had left come too, with their stays, when asked for', async () => {
  const file = 'Nr,Name,Species,Came,How,Gone,Why\n1,Rex,Dog,2026-01-02,stray,2026-02-03,adopted\n';
  const columns = {
    intakeDate: 'Came',
    intakeType: 'How',
    outcomeDate: 'Gone',
    outcomeType: 'Why',
  };
  const given = { externalId: 'Nr', ...columns };
  expect(await imported(file, given)).toMatchObject({ created: 0, leftBefore: 1 });
  expect(await imported(file, { ...given, withHistory: 'true' })).toMatchObject({ created: 1 });
  const [rex] = await animals();
  expect(await petstore.storage.stays.list(rex?.id ?? 0n)).toMatchObject([
    {
      ...{ intakeDate: '2026-01-02', intakeType: 'stray' },
      ...{ outcomeDate: '2026-02-03', outcomeType: 'adopted' },
    },
  ]);
});

test('missing animals leave, unless they are too many', async () => {
  const file = (count: number) =>
    `Id,Name,Species\n${Array.from({ length: count }, (_, n) => `${n},Pet ${n},Dog\n`).join('')}`;
  await imported(file(4));
  const held = await imported(file(3), { missing: 'leave' });
  expect(held).toMatchObject({ missing: 1, missingHeld: true });
  const left = await imported(file(3), { missing: 'leave', missingMost: '25' });
  expect(left).toMatchObject({ missing: 1, missingHeld: false });
  const statuses: string[] = (await animals()).map(({ status }) => status);
  expect(statuses).toEqual(['available', 'available', 'available', 'sold']);
});

test('a unit reads weights, a map says how animals left, and the choices are found again', async () => {
  const file = 'Id,Name,Species,State,Weight\n1,Rex,Dog,here,12\n2,Mia,Cat,here,4\n';
  const query = { status: 'State', statusMap: 'here=available,gone=died', weightUnit: 'kg' };
  const done = await imported(file, query);
  const [rex] = await animals();
  expect(rex?.profile?.weightGrams).toBe(12_000);
  await imported(file.replace('Cat,here', 'Cat,gone'), query);
  const [, mia] = await animals();
  expect(mia?.status).toBe('sold');
  expect(await petstore.storage.stays.list(mia?.id ?? 0n)).toMatchObject([{ outcomeType: 'died' }]);
  const list = await petstore.writer.get(`/v1/imports?header=${done['header']}&sort=newest`);
  const [last] = JSON.parse(list.text);
  const { choices } = JSON.parse((await petstore.writer.get(`/v1/imports/${last.id}`)).text);
  expect(Object.fromEntries(new URLSearchParams(choices))).toEqual({ ...query, photos: 'false' });
  const other = await petstore.writer.get('/v1/imports?header=0123456789abcdef');
  expect(JSON.parse(other.text)).toEqual([]);
});
