import type { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import type { PetFilter } from '../../src/domain/pet.ts';
import { openConnection } from '../../src/storage/sqlite/connection.ts';
import { createRecords } from '../../src/storage/sqlite/storage.ts';
import { writeInside } from '../../src/storage/sqlite/writer.ts';
import { createTemporaryFolder } from '../temporary.ts';

/** Gives the statements that `work` runs, with their values. */
function statementsOf(database: Database, work: () => unknown): [sql: string, values: never[]][] {
  const statements: [string, never[]][] = [];
  const query = database.query.bind(database);
  database.query = (sql: string) => {
    const statement = query<unknown, never[]>(sql);
    const all = statement.all.bind(statement);
    statement.all = (...values) => {
      statements.push([sql, values]);
      return all(...values);
    };
    return statement as never; // The caller asks for rows of its own type.
  };
  work();
  database.query = query;
  return statements;
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
    ['ids', { ids: [1n, 2n] }, /^SEARCH pets USING INTEGER PRIMARY KEY \(rowid=\?\)$/],
  ])('with %s is read from an index, in order', (_, filter, expected) => {
    using folder = createTemporaryFolder();
    using database = openConnection(folder.file('petstore.db'), 'production');
    const { pets } = createRecords(database, writeInside);
    const [statement] = statementsOf(database, () => pets.list(filter, { afterId: 5n, limit: 20 }));
    const [sql, values] = statement ?? ['', []];
    const plan = database.query<{ detail: string }, never[]>(`EXPLAIN QUERY PLAN ${sql}`);
    const steps = plan.all(...values).map(({ detail }) => detail);
    const ofAnimals = steps.filter((step) => step.includes('pets'));
    expect(ofAnimals).toEqual([expect.stringMatching(expected)]);
    expect(steps.join('\n')).not.toContain('TEMP B-TREE');
  });
});
