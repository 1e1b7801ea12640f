import { expect, test } from 'bun:test';
import { openConnection } from '../../src/storage/sqlite/connection.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwyz'];
const ANIMALS = 3_000;
const WORDS_EACH = 60;
const WORDS = Array.from(
  { length: 5_000 },
  (_, n) => `${LETTERS[n % 25]}${LETTERS[(n * 7) % 25]}${n}`,
);

test('a search for many single letters does not merge the animals of all words', () => {
  using folder = createTemporaryFolder();
  using database = openConnection(folder.file('petstore.db'), 'production');
  database.run(`CREATE VIRTUAL TABLE plain USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`);
  const tables = ['derived_listing_words', 'plain'].map((table) => ({
    add: database.query(`INSERT INTO ${table} (rowid, words) VALUES (?, ?)`),
    search: database.query<{ n: number }, [string]>(
      `SELECT count(*) AS n FROM ${table} WHERE ${table} MATCH ?`,
    ),
  }));
  database.transaction(() => {
    for (let n = 1; n <= ANIMALS; n++) {
      const words = Array.from({ length: WORDS_EACH }, (_, w) => WORDS[(n * 61 + w * 83) % 5_000]);
      for (const { add } of tables) add.run(n, words.join(' '));
    }
  })();
  const letters = LETTERS.map((letter) => `"${letter}"*`).join(' AND ');
  const [ours, plain] = tables.map(({ search }) => {
    const counted = search.get(letters)?.n;
    // The shortest counts: the machine may be busy during the others.
    const times = Array.from({ length: 7 }, () => {
      const startedAt = performance.now();
      search.get(letters);
      return performance.now() - startedAt;
    });
    return { counted, time: Math.min(...times) };
  });
  expect(ours?.counted).toBe(plain?.counted);
  // About a twentieth.
  expect(ours?.time).toBeLessThan((plain?.time ?? 0) / 3);
});
