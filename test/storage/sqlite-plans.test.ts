import { Database, type Statement } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
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
  using _ = recordStatements(database, statements);
  await work();
  return statements;
}

/** Notes what a database runs until it is disposed of. */
function recordStatements(database: Database, statements: RanStatement[]): Disposable {
  const { query, prepare } = database;
  const recorded = (sql: string) => {
    const statement = query.call(database, sql) as Statement<unknown, never[]>;
    const { all, get } = statement;
    statement.all = (...values) => {
      statements.push([sql, values]);
      return all.apply(statement, values);
    };
    statement.get = (...values) => {
      statements.push([sql, values]);
      return get.apply(statement, values);
    };
    return statement as never; // The caller expects rows of its own type.
  };
  Object.assign(database, { query: recorded, prepare: recorded });
  return {
    [Symbol.dispose]() {
      Object.assign(database, { query, prepare });
    },
  };
}

describe('a list of animals', () => {
  test.each<[string, PetFilter, RegExp]>([
    ['no filter', {}, /^SEARCH pets USING INTEGER PRIMARY KEY \(rowid>\?\)$/],
    [
      'a status',
      { status: 'sold' },
      /^SEARCH pets USING INDEX pets_by_status \(status=\? AND rowid>\?\)$/,
    ],
    [
      'a category',
      { categoryId: 7n },
      /^SEARCH pets USING INDEX pets_by_category(_and_status)? \(category_id=\? AND rowid>\?\)$/,
    ],
    [
      'both',
      { status: 'sold', categoryId: 7n },
      /^SEARCH pets USING INDEX pets_by_category_and_status \(category_id=\? AND status=\? AND rowid>\?\)$/,
    ],
    ['one id', { ids: [1n] }, /^SEARCH pets USING INTEGER PRIMARY KEY \(rowid=\?\)$/],
    ['ids', { ids: [1n, 2n] }, /^SEARCH pets USING INTEGER PRIMARY KEY \(rowid=\?\)$/],
  ])('with %s is read from an index, in order', async (_, filter, expected) => {
    using folder = createTemporaryFolder();
    using database = openConnection(folder.file('petstore.db'), 'production');
    const { pets } = createSqliteRecords(database, INSIDE);
    const [statement] = await statementsOf(database, () =>
      pets.list(filter, { afterId: 5n, limit: 20 }),
    );
    const [sql, values] = statement ?? ['', []];
    const plan = database.query<{ detail: string }, never[]>(`EXPLAIN QUERY PLAN ${sql}`);
    const steps = plan.all(...values).map(({ detail }) => detail);
    const ofAnimals = steps.filter((step) => step.includes('pets'));
    expect(ofAnimals).toEqual([expect.stringMatching(expected)]);
    expect(steps.join('\n')).not.toContain('TEMP B-TREE');
  });

  test.each<[string, Omit<PetFilter, 'nameFolded'>]>([
    ['no other filter', {}],
    ['a status', { status: 'sold' }],
    ['a category', { categoryId: 7n }],
    ['both', { status: 'sold', categoryId: 7n }],
    ['ids', { ids: [1n, 2n] }],
  ])('by a part of the name, with %s, needs no full scan or sort', async (_, filter) => {
    using folder = createTemporaryFolder();
    const path = folder.file('petstore.db');
    openConnection(path, 'production').close();
    using filling = new Database(path);
    filling.run(
      `INSERT INTO pets (name, name_folded, category_id, status, was_offered, added_at)
       WITH RECURSIVE ids (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ids WHERE i < 5000)
       SELECT 'rex', 'rex', 7, 'sold', 0, 0 FROM ids`,
    );
    using database = openConnection(path, 'production');
    const { pets } = createSqliteRecords(database, INSIDE);
    const statements = await statementsOf(database, () =>
      pets.list({ ...filter, nameFolded: 'none' }, { afterId: 5n, limit: 20 }),
    );
    const steps = statements.flatMap(([sql, values]) => {
      const plan = database.query<{ detail: string }, never[]>(`EXPLAIN QUERY PLAN ${sql}`);
      return plan.all(...values).map(({ detail }) => detail);
    });
    const scans = steps.filter((step) => /SCAN (?!json_each)/.test(step));
    expect([steps.length > 0, scans]).toEqual([true, []]);
    expect(steps.join('\n')).not.toContain('TEMP B-TREE');
  });
});

// SQLite plans a statement again at each run when a parameter is its limit, or what a column equals, as in
// LIMIT ?. In an expression, as in LIMIT +?, it does not. How often it plans cannot be observed.
describe('a parameter that a plan may depend on is in an expression', () => {
  test('in statements for both engines', () => {
    const { sqlite, postgres } = sql`SELECT id FROM pets WHERE status = $1 LIMIT $2 OFFSET $3`;
    expect(sqlite).toBe('SELECT id FROM pets WHERE status = +?1 LIMIT +?2 OFFSET +?3');
    expect(postgres).toBe('SELECT id FROM pets WHERE status = $1 LIMIT $2 OFFSET $3');
  });
});
