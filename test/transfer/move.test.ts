import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { openStorage } from '../../src/storage/open.ts';
import { copiedTables } from '../../src/storage/tables.ts';
import { animal, anyState } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { arbitraryContent } from './arbitrary-content.ts';
import { ID_MAX } from './arbitrary-rows.ts';
import { contentOf, putContent } from './content.ts';
import { createPair, move, some, type Twist } from './moving.ts';
import { crossings, pairs } from './pairs.ts';

// Databases and commands are started, on a machine that may be busy.
setDefaultTimeout(120_000);

describe.each(pairs)('a move from $name', ({ from, to }) => {
  test('takes every row and the last ids along, whatever is in them', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryContent, async (content) => {
        await using pair = await createPair(from, to);
        await putContent(pair.source.address, content);
        expect(await contentOf(pair.source.address)).toEqual(content);
        await move(pair);
        expect(await contentOf(pair.target.address)).toEqual(content);
        expect(await contentOf(pair.source.address)).toEqual(content);
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });
});

describe.each(crossings)('a move from $name', ({ from, to }) => {
  test('takes the greatest id of a stay along as the last one', async () => {
    await using pair = await createPair(from, to);
    await putContent(pair.source.address, { rows: {}, lastIds: { stays: ID_MAX } });
    await move(pair);
    expect((await contentOf(pair.target.address)).lastIds['stays']).toBe(ID_MAX);
  });

  test('never gives an id again that was given and removed', async () => {
    await using pair = await createPair(from, to);
    const old = await openStorage(pair.source.address, 'production');
    await old.pets.create(animal(), CHANGE_STAMP);
    const { id } = await old.pets.create(animal(), CHANGE_STAMP);
    await old.pets.remove(id, CHANGE_STAMP, anyState);
    await old.close();
    await move(pair);
    const moved = await openStorage(pair.target.address, 'production');
    expect((await moved.pets.create(animal(), CHANGE_STAMP)).id).toBe(id + 1n);
    await moved.close();
  });

  test('goes on after the ids that the target has given before', async () => {
    await using pair = await createPair(from, to);
    const target = await openStorage(pair.target.address, 'production');
    for (let n = 0; n < 3; n++) await target.pets.create(animal(), CHANGE_STAMP);
    await target.reset(CHANGE_STAMP);
    await target.close();
    const source = await openStorage(pair.source.address, 'production');
    await source.pets.create(animal(), CHANGE_STAMP);
    await source.close();
    await move(pair);
    const moved = await openStorage(pair.target.address, 'production');
    expect((await moved.pets.create(animal(), CHANGE_STAMP)).id).toBe(4n);
    await moved.close();
  });

  test('fences the source: it is not opened, and what has it open cannot write', async () => {
    await using pair = await createPair(from, to);
    await putContent(pair.source.address, some());
    const open = await openStorage(pair.source.address, 'production');
    const before = await contentOf(pair.source.address);
    await move(pair);
    const fenced = /is fenced: it was moved to .* at 2027-01-15T12:00:00.000Z/;
    const { address } = pair.source;
    await expect((async () => await openStorage(address, 'production'))()).rejects.toThrow(fenced);
    await expect(move(pair)).rejects.toThrow(fenced);
    for (const { name, columns } of copiedTables()) {
      const refused = /the database was moved to|not finished/;
      const column = Object.keys(columns).at(-1);
      const values = Object.values(columns).map((type) => (type === 'bytes' ? 'NULL' : '1'));
      // Only what has rows can be changed.
      if ((before.rows[name]?.length ?? 0) > 0) {
        await expect(pair.source.sql(`DELETE FROM ${name}`)).rejects.toThrow(refused);
        const update = `UPDATE ${name} SET ${column} = ${column}`;
        await expect(pair.source.sql(update)).rejects.toThrow(refused);
      }
      const overriding = from.name === 'postgres' ? 'OVERRIDING SYSTEM VALUE' : '';
      const insert = `INSERT INTO ${name} (${Object.keys(columns)}) ${overriding} VALUES (${values})`;
      await expect(pair.source.sql(insert)).rejects.toThrow(refused);
    }
    await expect(
      (async () => await open.pets.create(animal(), CHANGE_STAMP))(),
    ).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await expect((async () => await open.reset(CHANGE_STAMP))()).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(await open.pets.count()).toBe(before.rows['pets']?.length ?? 0);
    await open.close();
    expect((await contentOf(pair.source.address)).rows).toEqual(before.rows);
  });

  test('is refused where the target has anything, and leaves both as they were', async () => {
    await using pair = await createPair(from, to);
    await putContent(pair.source.address, some());
    const target = await openStorage(pair.target.address, 'production');
    await target.categories.create('Cats', CHANGE_STAMP);
    await target.close();
    await expect(move(pair)).rejects.toThrow(/is not empty \(1 of categories\)/);
    await (await openStorage(pair.source.address, 'production')).close();
    expect((await contentOf(pair.target.address)).rows['categories']).toHaveLength(1);
  });

  test('is refused where a server has the target open', async () => {
    await using pair = await createPair(from, to);
    await putContent(pair.source.address, some());
    const target = await openStorage(pair.target.address, 'production');
    await expect(move(pair)).rejects.toThrow(/is in use|is locked by another program/);
    await target.close();
    await move(pair);
  });

  test('that is interrupted changes nothing', async () => {
    await using pair = await createPair(from, to);
    await putContent(pair.source.address, some());
    const before = await contentOf(pair.source.address);
    // One direction is stopped between the places of the other.
    let stopAt = from.name === 'sqlite' ? 1 : 4;
    for (; ; stopAt += 6) {
      let asked = 0;
      const isInterrupted = () => ++asked >= stopAt;
      try {
        await move(pair, { isInterrupted });
        break;
      } catch (error) {
        expect(error).toMatchObject({ message: expect.stringMatching(/^stopped as you asked/) });
      }
      await (await openStorage(pair.source.address, 'production')).close();
      await (await openStorage(pair.target.address, 'production')).close();
      expect(Object.values((await contentOf(pair.target.address)).rows).flat()).toEqual([]);
      expect(await contentOf(pair.source.address)).toEqual(before);
    }
    expect(stopAt).toBeGreaterThan(10);
    expect(await contentOf(pair.target.address)).toEqual(before);
  });

  test('that writes something else than it read is refused', async () => {
    await using pair = await createPair(from, to);
    await putContent(pair.source.address, some());
    const target: Twist = (database) => ({
      ...database,
      insert: (table, rows) =>
        database.insert(
          table,
          rows.map((row) => (table.name === 'orders' ? row.with(2, 'x') : row)),
        ),
    });
    await expect(move(pair, { target })).rejects.toThrow(/the table orders was read back/);
    await (await openStorage(pair.source.address, 'production')).close();
    expect((await contentOf(pair.target.address)).rows['pets']).toEqual([]);
    const fewer: Twist = (database) => ({
      ...database,
      insert: (table, rows) => database.insert(table, table.name === 'pets' ? rows.slice(1) : rows),
    });
    await expect(move(pair, { target: fewer })).rejects.toThrow();
    await move(pair);
  });
});
