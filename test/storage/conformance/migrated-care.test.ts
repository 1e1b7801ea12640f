import { expect, test } from 'bun:test';
import { makeOlder } from '../older-database.ts';
import { openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const DAY = Date.UTC(2026, 2, 4);

describeContract((engine) => {
  test('animals whose care said that they had left get a stay that says so', async () => {
    await using database = await engine.createDatabase();
    await makeOlder(database, 'stays');
    const cares = ['died', 'transferred', 'returned_to_owner', 'hold', undefined] as const;
    for (const [n, care] of cares.entries()) {
      const id = n + 1;
      await database.sql(`INSERT INTO pets (name, name_folded, category_id, status, first_status, added_at)
        VALUES ('Rex ${id}', 'rex ${id}', 1, '${id === 1 ? 'available' : 'pending'}', 'available', ${DAY})`);
      await database.sql(`INSERT INTO profiles (pet_id, public, private) VALUES (${id},
        '${JSON.stringify({ species: 'dog', published: true, ...(id === 2 && { inCareSince: '2025-12-24' }) })}',
        '${JSON.stringify({ ...(care && { care }), location: 'Kennel 1' })}')`);
    }
    for (const petId of [2, 4]) {
      await database.sql(`INSERT INTO orders (pet_id, adopter, status, placed_at, updated_at)
        VALUES (${petId}, 'Zoë', 'placed', ${DAY}, ${DAY})`);
    }
    await using subject = await openSubject({ ...engine, createDatabase: async () => database });
    const { storage } = subject;
    const today = new Date().toISOString().slice(0, 10);
    const known = [
      ['died', 'sold'],
      ['transferred', 'sold'],
      ['to_owner', 'sold'],
      [null, 'pending'],
      [null, 'pending'],
    ] as const;
    for (const [n, [outcomeType, status]] of known.entries()) {
      const id = BigInt(n + 1);
      const outcomeDate = outcomeType && today;
      const intakeDate = id === 2n ? '2025-12-24' : '2026-03-04';
      expect(await storage.stays.list(id)).toMatchObject([
        { petId: id, intakeDate, intakeType: null, outcomeType, outcomeDate, note: null },
      ]);
      expect(await storage.pets.find(id)).toMatchObject({ status });
      expect(await storage.profiles.find(id)).toMatchObject({
        care: id === 4n ? 'hold' : null,
        published: outcomeType === null,
        inCareSince: intakeDate,
        location: 'Kennel 1',
      });
    }
    expect(await storage.orders.find(1n)).toMatchObject({ status: 'cancelled' });
    expect(await storage.orders.find(2n)).toMatchObject({ status: 'placed' });
    const report = await storage.stays.report(today, today);
    expect(report.total).toMatchObject({ start: 5, end: 2 });
    // The list that staff work with has all of them.
    const states = ['left', 'here'] as const;
    for (const [state, count] of [
      [states[0], 3],
      [states[1], 2],
    ] as const)
      expect(await storage.animals.count({ states: [state] })).toBe(count);
  });
});
