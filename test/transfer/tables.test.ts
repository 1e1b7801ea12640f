import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { COPIED, copiedTables, NOT_COPIED } from '../../src/storage/tables.ts';
import { openSubject } from '../storage/subject.ts';
import { chosenEngine, sqlite } from '../support/engines.ts';

// Databases and commands are started, on a machine that may be busy.
setDefaultTimeout(120_000);

/** What is of the database, not of the shop. */
const NOT_OF_THE_SHOP = new Set<string>([
  ...['deployment', 'schema_versions', 'sqlite_sequence'],
  // Only in PostgreSQL: these are copied as rows of `changes` and as its last id.
  ...['unnumbered_changes', 'change_numbering'],
  ...NOT_COPIED,
]);
/** Tables and columns that are made from others begin so. */
const DERIVED = 'derived_';

interface Found {
  readonly tables: string;
  readonly columns: string;
}

/** How each engine is asked for its tables, and for columns with type and place in the key. */
const CATALOGUE: Readonly<Record<string, Found>> = {
  sqlite: {
    tables: `SELECT name FROM sqlite_schema WHERE type = 'table'`,
    columns: `SELECT t.name AS "table", c.name AS "column", c.pk AS place,
        CASE c.type WHEN 'INTEGER' THEN 'integer' WHEN 'TEXT' THEN 'text'
          WHEN 'BLOB' THEN 'bytes' ELSE c.type END AS type
      FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'`,
  },
  postgres: {
    tables: `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    columns: `SELECT c.table_name AS "table", c.column_name AS "column",
        coalesce(k.ordinal_position, 0) AS place,
        CASE c.data_type WHEN 'bigint' THEN 'integer' WHEN 'bytea' THEN 'bytes'
          ELSE c.data_type END AS type
      FROM information_schema.columns c
      LEFT JOIN information_schema.key_column_usage k ON k.table_name = c.table_name
        AND k.column_name = c.column_name AND k.constraint_name LIKE '%\\_pkey'
      WHERE c.table_schema = 'public'`,
  },
};

describe.each([chosenEngine()])('in $name', (engine) => {
  const catalogue = CATALOGUE[engine.name];

  test('every table is of the shop, or known not to be', async () => {
    await using subject = await openSubject(engine);
    const found = await subject.database.sql(catalogue?.tables ?? '');
    const names = found
      .map(({ name }) => String(name))
      .filter((name) => !NOT_OF_THE_SHOP.has(name) && !name.startsWith(DERIVED));
    expect(names.sort()).toEqual([...COPIED].sort());
  });

  test.each([...copiedTables()])(
    'the table $name has the columns and the key that move',
    async (table) => {
      await using subject = await openSubject(engine);
      const all = await subject.database.sql(catalogue?.columns ?? '');
      const found = all.filter(
        (row) => row['table'] === table.name && !String(row['column']).startsWith(DERIVED),
      );
      expect(Object.fromEntries(found.map((row) => [row['column'], row['type']]))).toEqual({
        ...table.columns,
      });
      const key = found
        .filter(({ place: target }) => Number(target) > 0)
        .sort((a, b) => Number(a['place']) - Number(b['place']));
      expect(key.map(({ column }) => String(column))).toEqual([...table.key]);
    },
  );
});

test('what refers to another table comes after it', async () => {
  await using subject = await openSubject(sqlite);
  const references = await subject.database.sql(
    `SELECT t.name AS child, f."table" AS parent
     FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f WHERE t.type = 'table'`,
  );
  expect(references.length).toBeGreaterThan(0);
  const inOrder = [...COPIED, ...NOT_COPIED] as string[];
  const target = (name: unknown) => inOrder.indexOf(String(name));
  for (const { child, parent } of references) expect(target(child)).toBeGreaterThan(target(parent));
});
