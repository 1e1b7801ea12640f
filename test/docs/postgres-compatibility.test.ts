import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sqlTexts } from './sql-texts.ts';

const ROOT = join(import.meta.dir, '../..');
const PAGE = 'docs/POSTGRES-COMPATIBILITY.md';
const ENGINES = ['CockroachDB', 'YugabyteDB', 'Citus'];
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Keywords that every engine has, so that the table does not list them. */
const PLAIN_KEYWORDS =
  words(`ADD ALL ALTER AND AS BEGIN BETWEEN BY CASE CAST CHECK COLUMN COMMIT CREATE
  CROSS DEFAULT DELETE DESC DROP ELSE END EXISTS FROM GROUP HAVING IN INDEX INSERT INTO IS JOIN KEY LEFT
  LIKE LIMIT NOT NULL OFFSET ON OR ORDER PRIMARY RENAME ROLLBACK SELECT SET TABLE THEN TO TRIGGER UNION
  UPDATE VALUES WHEN WHERE WITH`);
const PLAIN_FUNCTIONS = words(
  'coalesce count extract floor greatest least left length max min now nullif position sum',
);
/** Words of messages. */
const NO_SQL = words('ASCII FILE NUL OPERATING PETSTORE_DATABASE');

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

/** The rows of the table: its features, the files that use them, and a cell for each engine. */
const rows = read(PAGE)
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.slice(2, -2).split(' | '))
  .slice(1)
  .map(([features = '', files = '', ...engines]) => ({
    terms: inBackticks(features),
    files: inBackticks(files),
    engines,
  }));
const terms = rows.flatMap((row) => row.terms);

function inBackticks(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, term = '']) => term);
}

/** The files with SQL for PostgreSQL. */
const files = ['src/storage/postgres/**/*.{ts,sql}', 'src/storage/rows/*.ts']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)])
  .map((path) => {
    const source = read(path);
    const sql = sqlTexts(path, source).map((text) => text.replace(/\s+/g, ' '));
    return { name: basename(path), sql, settings: settingsIn(source, sql) };
  });
const allSql = files.flatMap(({ sql }) => sql);

/** The settings that a file changes or reads. */
function settingsIn(source: string, sql: readonly string[]): string[] {
  const listed = /SETTINGS = \{([^}]*)\}/.exec(source)?.[1] ?? '';
  const keys = [...listed.matchAll(/^\s*(\w+):/gm)];
  const named = sql.flatMap((text) => [
    ...text.matchAll(/^(\w+) = …$/g),
    ...text.matchAll(/(?:^|; )SET (?:LOCAL )?(\w+) = /g),
    ...text.matchAll(/plpgsql SET (\w+) = \w+ SET (\w+) = /g),
    ...text.matchAll(/(?:current_setting|set_config)\('([\w.]+)'/g),
  ]);
  return [...keys, ...named].flatMap(([, ...names]) => names);
}

/** Tells whether a text has a term; `…` stands for anything in between. */
function pattern(term: string): RegExp {
  const escaped = term.split('…').map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const start = /^\w/.test(term) ? '\\b' : '';
  const end = /\w$/.test(term) ? '\\b' : '';
  return new RegExp(start + escaped.join('.*?') + end);
}

function uses({ sql, settings }: Pick<(typeof files)[number], 'sql' | 'settings'>, term: string) {
  return settings.includes(term) || sql.some((text) => pattern(term).test(text));
}

/** The names in SQL that match a pattern and that neither the table nor `known` has. */
function missing(name: RegExp, known: ReadonlySet<string>): string[] {
  const listed = new Set(terms.flatMap((term) => term.match(/[\w.]+/g) ?? []));
  const found = allSql.flatMap((text) => [...text.matchAll(name)].map(([, word = '']) => word));
  return [...new Set(found)].filter((word) => !listed.has(word) && !known.has(word));
}

describe(PAGE, () => {
  test('has a cell for each engine in every row', () => {
    expect(rows.length).toBeGreaterThan(30);
    for (const { terms, files, engines } of rows) {
      expect([terms, terms.length > 0]).toEqual([terms, true]);
      expect([terms, files.length > 0]).toEqual([terms, true]);
      expect([terms, engines.length]).toEqual([terms, ENGINES.length]);
      expect([terms, engines.every((cell) => cell !== '')]).toEqual([terms, true]);
    }
  });

  test('has a source for each claim about an engine', () => {
    const claims = rows.flatMap(({ engines }) => engines);
    const bare = claims.filter((cell) => !/^(?:not found|as )|\]\[/.test(cell));
    expect(bare).toEqual([]);
  });

  test('lists every keyword of our SQL that is not plain', () => {
    const known = new Set([...PLAIN_KEYWORDS, ...NO_SQL]);
    expect(missing(/\b([A-Z][A-Z_]+)\b/g, known)).toEqual([]);
  });

  test('lists every function that our SQL calls', () => {
    const own = allSql.flatMap((text) =>
      [...text.matchAll(/CREATE FUNCTION (\w+)/g)].map(([, name = '']) => name),
    );
    expect(missing(/\b([a-z_]+)\(/g, new Set([...PLAIN_FUNCTIONS, ...own]))).toEqual([]);
  });

  test('lists every system function and catalog', () => {
    expect(missing(/\b(pg_\w+|information_schema\.\w+)/g, new Set())).toEqual([]);
  });

  test('lists every setting', () => {
    const settings = [...new Set(files.flatMap((file) => file.settings))];
    expect(settings.length).toBeGreaterThan(10);
    expect(settings.filter((name) => !terms.includes(name))).toEqual([]);
  });

  test('lists nothing that is no longer used', () => {
    expect(terms.filter((term) => !files.some((file) => uses(file, term)))).toEqual([]);
  });

  test('names files that use what they are listed for', () => {
    const wrong = rows.flatMap(({ terms, files: named }) =>
      named.filter((name) => {
        const file = files.find((each) => each.name === name);
        return file === undefined || !terms.some((term) => uses(file, term));
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('says what we do without', () => {
    expect(read(PAGE)).toContain(
      'no extension, no LISTEN or NOTIFY, no prepared transaction, no COPY',
    );
    const unused = /\b(?:CREATE EXTENSION|LISTEN|NOTIFY|PREPARE TRANSACTION|COPY|CURSOR)\b/;
    expect(allSql.filter((text) => unused.test(text))).toEqual([]);
  });
});
