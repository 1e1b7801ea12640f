import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { hold } from '../../src/storage/transfer/copy.ts';
import { openSource } from '../../src/storage/transfer/open-portable.ts';
import { sqlite } from '../support/engines.ts';
import { postgres } from '../support/postgres-engine.ts';
import { contentOf, putContent, UNWATCHED } from './content.ts';
import { createPair, move, some } from './moving.ts';
import { bothEngines } from './pairs.ts';

// Databases are started, on a machine that may be busy.
setDefaultTimeout(120_000);

describe.each(bothEngines)('while others write to $name', (engine) => {
  test('a move waits for them', async () => {
    await using pair = await createPair(engine, engine);
    const content = some();
    await putContent(pair.source.address, content);
    const writing = await pair.source.holdWrites();
    let tries = 0;
    // It asks between its tries whether it is interrupted.
    const isInterrupted = () => {
      if (++tries === 1) void writing[Symbol.asyncDispose]();
      return false;
    };
    await move(pair, { isInterrupted });
    expect(tries).toBeGreaterThan(0);
    expect(await contentOf(pair.target.address)).toEqual(content);
  });

  test('a hold can be interrupted, and a fence is not lifted', async () => {
    await using database = await engine.createDatabase();
    await putContent(database.address, some());
    const shop = await openSource(database.address);
    try {
      await using _writing = await database.holdWrites();
      const stopped = hold(shop, { ...UNWATCHED, isInterrupted: () => true });
      await expect(stopped).rejects.toThrow('stopped as you asked.');
    } finally {
      await shop.close();
    }
  });
});

test('a text that PostgreSQL cannot keep stops the move, which changes nothing', async () => {
  await using pair = await createPair(sqlite, postgres);
  await putContent(pair.source.address, some());
  await pair.source.sql(`UPDATE pets SET name = 'a' || char(0) || 'b'`);
  const before = await contentOf(pair.source.address);
  await expect(move(pair)).rejects.toThrow(/a text in the table pets holds a NUL/);
  expect(await contentOf(pair.source.address)).toEqual(before);
  expect((await contentOf(pair.target.address)).rows['pets']).toEqual([]);
});
