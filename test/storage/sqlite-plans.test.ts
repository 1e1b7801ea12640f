import type { Database, Statement } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import type { PetFilter } from '../../src/domain/pet.ts';
import { INSIDE } from '../../src/storage/sqlite/access.ts';
import { openConnection } from '../../src/storage/sqlite/connection.ts';
import { createSqliteRecords } from '../../src/storage/sqlite/storage.ts';
import { sql } from '../../src/storage/statements.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

type RanStatement = [sql: string, values: never[]];

/** Returns the statements that `work` runs, with their values. Some run later: searches take turns. */
async function statementsOf(database: Database, work: () => unknown): Promise<RanStatement[]> {
  const statements: RanStatement[] = [];
  const { query, prepare } = database;
  const recorded = (sql: string) => {
    const statement = query.call(database, sql) as Statement<unknown, never[]>;
    const { all, get } = statement;
    const noting =
      <T>(run: (...values: never[]) => T) =>
      (...values: never[]): T => {
        statements.push([sql, values]);
        return run.apply(statement, values);
      };
    Object.assign(statement, { all: noting(all), get: noting(get) });
    return statement as never; // The caller expects rows of its own type.
  };
  Object.assign(database, { query: recorded, prepare: recorded });
  await work();
  Object.assign(database, { query, prepare });
  return statements;
}

test.each<[string, PetFilter]>([
  ['no filter', {}],
  ['a status', { status: 'sold' }],
  ['a category', { categoryId: 7n }],
  ['both', { status: 'sold', categoryId: 7n }],
  ['one id', { ids: [1n] }],
  ['ids', { ids: [1n, 2n] }],
])(
  'a list of animals with %s, by a part of the name or not, needs no full scan or sort',
  async (_, filter) => {
    using folder = createTemporaryFolder();
    using database = openConnection(folder.file('petstore.db'), 'production');
    database.run(
      `INSERT INTO pets (name, name_folded, category_id, status, was_offered, added_at)
     WITH RECURSIVE ids (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ids WHERE i < 5000)
     SELECT 'rex', 'rex', 7, 'sold', 0, 0 FROM ids`,
    );
    const { pets } = createSqliteRecords(database, INSIDE);
    const statements = await statementsOf(database, async () => {
      for (const named of [{}, { nameFolded: 'none' }]) {
        await pets.list({ ...filter, ...named }, { afterId: 5n, limit: 20 });
      }
    });
    const steps = statements.flatMap(([sql, values]) => {
      const plan = database.query<{ detail: string }, never[]>(`EXPLAIN QUERY PLAN ${sql}`);
      return plan.all(...values).map(({ detail }) => detail);
    });
    const slow = steps.filter((step) => /SCAN (?!json_each)|TEMP B-TREE/.test(step));
    expect([steps.length > 1, slow]).toEqual([true, []]);
  },
);

// SQLite plans a statement again at each run when a parameter is its limit, or what a column equals, as in
// LIMIT ?. In an expression, as in LIMIT +?, it does not. How often it plans cannot be observed.
test('a parameter that a plan may depend on is in an expression', () => {
  const { sqlite, postgres } = sql`SELECT id FROM pets WHERE status = $1 LIMIT $2 OFFSET $3`;
  expect(sqlite).toBe('SELECT id FROM pets WHERE status = +?1 LIMIT +?2 OFFSET +?3');
  expect(postgres).toBe('SELECT id FROM pets WHERE status = $1 LIMIT $2 OFFSET $3');
});
