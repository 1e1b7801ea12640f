import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { migrations } from '../../src/storage/sqlite/migrations.ts';
import { runPetstore } from '../support/command-line.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

describe('migrations of SQLite', () => {
  test('are numbered from 1 without gaps', () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
  });

  test('run once when several processes start at once on a new file', async () => {
    using folder = createTemporaryFolder();
    for (let round = 0; round < 3; round++) {
      const address = `sqlite:${folder.file(`${round}.db`)}`;
      const starts = Array.from({ length: 4 }, () =>
        runPetstore(['migrate', '--database', address]),
      );
      for (const finished of await Promise.all(starts)) {
        expect(finished).toMatchObject({ exitCode: 0, stderr: '' });
      }
      using database = new Database(folder.file(`${round}.db`));
      expect(database.query('SELECT environment FROM deployment').all()).toHaveLength(1);
      expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    }
  }, 60_000);
});
