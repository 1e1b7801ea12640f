import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { addressName } from '../../src/storage/address.ts';
import { chosenEngine } from '../support/engines.ts';
import { putContent } from '../transfer/content.ts';
import { createPair, move, some } from '../transfer/moving.ts';
import { examined, findingsLike } from './examination.ts';

// Databases are made, on a machine that may be busy.
setDefaultTimeout(60_000);

/** The findings about the fence of a database. */
async function fenceFindingsOf(address: string) {
  return findingsLike(await examined({ PETSTORE_DATABASE: address }), 'database', /fenced|copy of/);
}

describe.each([chosenEngine()])('a database of $name', (engine) => {
  test('that is fenced is reported with where it was moved', async () => {
    await using pair = await createPair(engine, engine);
    const { source, target } = pair;
    await putContent(source.address, some());
    expect(await fenceFindingsOf(source.address)).toEqual([]);
    await move(pair);
    expect(await fenceFindingsOf(source.address)).toEqual([
      {
        area: 'database',
        verdict: 'bad',
        found: expect.stringMatching(/ is fenced: it was moved to \S+ at 2027-01-15T12:00:00/),
        todo: expect.stringMatching(/^Use --database \S+\.$/),
      },
    ]);
    const [fenced] = await fenceFindingsOf(source.address);
    expect(fenced?.found).toContain(` moved to ${addressName(target.address)} `);
    expect(await fenceFindingsOf(target.address)).toEqual([]);
  });

  test('that holds a copy of a move that was not finished is reported with what to do', async () => {
    await using pair = await createPair(engine, engine);
    await putContent(pair.source.address, some());
    const cut = move(pair, {
      source: (database) => ({
        ...database,
        async fence() {
          throw new Error('the disk is gone');
        },
      }),
      target: (database) => ({ ...database, beginHold: once(database.beginHold) }),
    });
    await expect(cut).rejects.toThrow();
    expect(await fenceFindingsOf(pair.target.address)).toEqual([
      {
        area: 'database',
        verdict: 'bad',
        found: expect.stringContaining(` holds a copy of ${addressName(pair.source.address)} `),
        todo: expect.stringContaining('Run the same `petstore move` again'),
      },
    ]);
  });
});

/** Lets a hold be had the first time alone. */
function once(hold: () => Promise<boolean>): () => Promise<boolean> {
  let had = false;
  return async () => {
    if (had) return false;
    had = true;
    return hold();
  };
}
