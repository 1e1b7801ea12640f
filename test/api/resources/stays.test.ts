import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { reportOf, type StayGroup } from '../../../src/domain/stay.ts';
import { idOf } from '../../support/animals.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forAllTests(() => startPetstore());

const NO_CSV = { accept: 'text/csv; q=0, */*' };
const read = async (path: string) =>
  JSON.parse((await petstore.writer.get(`/v1${path}`, NO_CSV)).text);
const add = async (status = 'available') =>
  idOf(await petstore.writer.post('/v1/pets', { name: 'Ida', categoryId: 7, status }));

/** An order of an animal, completed on a day. */
async function adopt(petId: bigint, completedOn?: string): Promise<string> {
  const order = idOf(await petstore.writer.post('/v1/store/orders', { petId: Number(petId) }));
  const path = `/v1/store/orders/${order}`;
  await petstore.writer.patch(path, { status: 'approved' });
  const done = await petstore.writer.patch(path, { status: 'completed', completedOn });
  expect(done.status).toBe(200);
  return path;
}

describe('stays', () => {
  test('an adoption ends one on its day, a return begins another, once', async () => {
    const id = await add();
    await petstore.writer.patch(`/v1/pets/${id}/profile`, {
      inCareSince: '2026-11-02',
      published: true,
    });
    const order = await adopt(id, '2026-12-24');
    const back = { date: '2027-01-03', reason: 'An allergy.' };
    const returned = await petstore.writer.post(`${order}/return`, back);
    expect(JSON.parse(returned.text)).toMatchObject({
      status: 'completed',
      returnReason: 'An allergy.',
    });
    expect((await petstore.writer.post(`${order}/return`, back)).status).toBe(409);
    expect((await petstore.reader.get(order)).text).not.toContain('allergy');
    const [first, second] = await read(`/pets/${id}/stays`);
    expect(first).toMatchObject({
      intakeDate: '2026-11-02',
      outcomeDate: '2026-12-24',
      outcomeType: 'adopted',
    });
    expect(second).toMatchObject({
      intakeDate: '2027-01-03',
      intakeType: 'return',
      outcomeDate: null,
    });
    expect(await read(`/pets/${id}`)).toMatchObject({ status: 'available' });
    expect(await read(`/pets/${id}/profile`)).toMatchObject({
      inCareSince: '2027-01-03',
      published: false,
    });
  });

  test('a death cancels the adoption under way, and shows nobody a page', async () => {
    const id = await add();
    await petstore.writer.patch(`/v1/pets/${id}/profile`, { species: 'cat', published: true });
    const order = idOf(await petstore.writer.post('/v1/store/orders', { petId: Number(id) }));
    const [{ id: stay, etag }] = await read(`/pets/${id}/stays`);
    const path = `/v1/pets/${id}/stays/${stay}`;
    const change = { method: 'PATCH', body: JSON.stringify({ outcomeType: 'died' }) };
    const send = async (ifMatch: string) =>
      await petstore.writer.send('PATCH', path, {
        headers: { 'content-type': 'application/json', 'if-match': ifMatch },
        body: change.body,
      });
    expect((await send('"0000000000000000"')).status).toBe(412);
    expect((await send(etag)).status).toBe(200);
    expect(await read(`/store/orders/${order}`)).toMatchObject({ status: 'cancelled' });
    expect(await read(`/pets/${id}`)).toMatchObject({ status: 'sold' });
    expect((await petstore.anonymous.get(`/adopt/${id}/ida`)).status).toBe(404);
  });

  test.each([
    ['quarantine', null, 409],
    ['hold', '2027-01-15', 409],
    ['medical', '2027-01-14', 200],
    ['foster', '2027-02-01', 200],
  ])('an animal in %s until %s is adopted with %i', async (care, careUntil, status) => {
    const id = await add();
    await petstore.writer.patch(`/v1/pets/${id}/profile`, { care, careUntil });
    expect((await petstore.writer.patch(`/v1/pets/${id}`, { status: 'sold' })).status).toBe(status);
  });

  test.each([
    [{ intakeDate: '2027-01-20', outcomeType: 'died' }, 400],
    [{ intakeDate: '2026-05-02', outcomeDate: '2026-05-01', outcomeType: 'died' }, 400],
    [{ outcomeDate: '2026-05-01' }, 400],
    [{ intakeDate: '2026-01-01' }, 409],
    [{ intakeDate: '2027-01-14', outcomeDate: '2027-01-16', outcomeType: 'lost' }, 409],
    [{ intakeDate: '2027-01-14', outcomeDate: '2027-01-15', outcomeType: 'lost' }, 201],
  ])('a stay %p beside an open one is answered %i', async (stay, status) => {
    const response = await petstore.writer.post(`/v1/pets/${await add()}/stays`, stay);
    expect(response.status).toBe(status);
  });

  test('are for staff alone, also in events', async () => {
    const id = await add('sold');
    for (const path of [`/pets/${id}/stays`, '/animals', '/reports/stays']) {
      for (const client of [petstore.reader]) {
        expect((await client.get(`/v1${path}`)).status).toBe(403);
      }
    }
    const events = (await petstore.reader.get('/v1/events?type=stay.started,stay.ended&limit=100'))
      .text;
    expect(events).toContain('outcomeDate');
    expect(events).not.toMatch(/outcomeType|intakeType|note/);
  });
});

describe('the report', () => {
  const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);

  test('has start + intakes - outcomes = end in every row, for any days, in JSON and CSV', async () => {
    const stays = fc.array(
      fc.record({
        from: fc.nat(300),
        days: fc.nat(60),
        species: fc.constantFrom('dog', 'cat', undefined),
        born: fc.option(fc.nat(300), { nil: undefined }),
        type: fc.constantFrom('stray', 'owner', undefined),
        outcome: fc.constantFrom('adopted', 'died', 'to_owner', undefined),
      }),
      { minLength: 1, maxLength: 8 },
    );
    const year = async () =>
      sum((await read(`/reports/stays?from=${day(0)}&to=${day(364)}`)).total.intakes);
    let known = await year();
    await fc.assert(
      fc.asyncProperty(stays, fc.nat(300), fc.nat(69), async (list, start, length) => {
        for (const { from, days, species, born, type, outcome } of list) {
          const id = await add();
          const [{ id: stay }] = await read(`/pets/${id}/stays`);
          const birthDate = born === undefined ? undefined : day(born);
          await petstore.writer.patch(`/v1/pets/${id}/profile`, { species, birthDate });
          const left = outcome && { outcomeType: outcome, outcomeDate: day(from + days) };
          const path = `/v1/pets/${id}/stays/${stay}`;
          const fields = { intakeDate: day(from), intakeType: type, ...left };
          expect((await petstore.writer.patch(path, fields)).status).toBe(200);
          known++;
        }
        const query = `/reports/stays?from=${day(start)}&to=${day(start + length)}`;
        const { rows, total } = await read(query);
        for (const row of [...rows, total]) {
          expect(row.start + sum(row.intakes) - sum(row.outcomes)).toBe(row.end);
        }
        for (const name of ['start', 'end'] as const) {
          expect(
            rows.reduce((n: number, row: Record<string, number>) => n + (row[name] ?? 0), 0),
          ).toBe(total[name]);
        }
        const csv = await petstore.writer.get(`/v1${query}`, { accept: 'text/csv' });
        const last = csv.text.trim().split('\r\n').at(-1)?.split(',') ?? [];
        expect([last[2], last[19]]).toEqual([`${total.start}`, `${total.end}`]);
      }),
      { numRuns: 25 },
    );
    expect(await year()).toBe(known);
  }, 60_000);

  test('computes rate, median and mean as by hand', () => {
    const dog = { species: 'dog', age: 'adult', intake: 'stray' } as const;
    const groups: StayGroup[] = [
      { ...dog, outcome: 'adopted', days: 10, count: 2 },
      { ...dog, outcome: 'died', days: 1, count: 1 },
      { ...dog, outcome: 'to_owner', days: 3, count: 1 },
      { ...dog, outcome: null, days: null, count: 5 },
    ];
    const { medianDays, meanDays, liveReleaseRate, end } = reportOf(groups).total;
    expect({ medianDays, meanDays, liveReleaseRate, end }).toEqual({
      ...{ medianDays: 6.5, meanDays: 6, liveReleaseRate: 0.75, end: 5 },
    });
  });

  test.each(['from=2026-02-01&to=2026-01-31', 'from=2025-01-01&to=2026-01-06', 'from=2026-02-30'])(
    'refuses %s',
    async (query) => {
      expect((await petstore.writer.get(`/v1/reports/stays?${query}`)).status).toBe(400);
    },
  );
});
