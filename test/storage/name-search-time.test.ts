import { expect, test } from 'bun:test';
import type { Page, PageRequest } from '../../src/domain/page.ts';
import type { Pet } from '../../src/domain/pet.ts';
import { searchByName } from '../../src/storage/records/pet-lists.ts';
import { INSIDE } from '../../src/storage/sqlite/access.ts';
import { openConnection } from '../../src/storage/sqlite/connection.ts';
import { createTransactions } from '../../src/storage/sqlite/transactions.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

test('a search by a part of a name ends a page when its time is up, and the next pages find the rest', async () => {
  using folder = createTemporaryFolder();
  using database = openConnection(folder.file('petstore.db'), 'production');
  database.run(
    `INSERT INTO pets (name, name_folded, category_id, status, was_offered, added_at)
     WITH RECURSIVE ids (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ids WHERE i < 8900)
     SELECT name, name, 1, 'sold', 0, 0
     FROM (SELECT iif(i % 997 = 0, 'zz', 'rex') AS name FROM ids)`,
  );
  const { search } = createTransactions(database, INSIDE);
  async function walk(clock: () => number) {
    let [found, pages] = [0, 0];
    for (let afterId: bigint | undefined = 0n; afterId !== undefined; pages++) {
      const request: PageRequest = { afterId, limit: 100 };
      const page: Page<Pet> = await search(() =>
        searchByName({ nameFolded: 'zz' }, request, clock),
      );
      found += page.items.length;
      afterId = page.resumeAfter;
    }
    return { found, pages };
  }
  expect(await walk(() => 0)).toEqual({ found: 8, pages: 1 });
  let now = 0;
  expect(await walk(() => (now += 4))).toEqual({ found: 8, pages: 3 });
});
