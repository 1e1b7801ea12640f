import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { hashKey } from '../../src/domain/secrets.ts';
import { openStorage } from '../../src/storage/open.ts';
import { newKey } from '../storage/subject.ts';
import { runPetstore } from '../support/command-line.ts';
import type { TestDatabase } from '../support/engines.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { createPair, move } from './moving.ts';
import { pairs } from './pairs.ts';

// Databases and commands are started, on a machine that may be busy.
setDefaultTimeout(120_000);

const NOW = Date.UTC(2027, 0, 15, 12);
const TOKEN_HASH = hashKey('a token');

/** Creates a key, and signs somebody in with it. */
async function signIn({ address }: TestDatabase): Promise<void> {
  const storage = await openStorage(address, 'production');
  const { id } = await storage.keys.create(newKey());
  await storage.sessions.create({ hash: TOKEN_HASH, keyId: id, createdAt: NOW }, []);
  await storage.close();
}

async function sessionsIn({ sql }: TestDatabase): Promise<number> {
  const [row] = await sql('SELECT count(*) AS n FROM sessions');
  return Number(row?.['n']);
}

const run = async (...args: readonly string[]) =>
  expect(await runPetstore(args, {})).toMatchObject({ exitCode: 0 });

describe.each(pairs)('sessions, from $name,', ({ from, to }) => {
  test('are not moved, and nobody signs in to the database that was moved away', async () => {
    await using pair = await createPair(from, to);
    await signIn(pair.source);
    await move(pair);
    expect([await sessionsIn(pair.source), await sessionsIn(pair.target)]).toEqual([1, 0]);
    const refused = /the database was moved to|not finished/;
    for (const statement of [
      `INSERT INTO sessions VALUES ('other', 1, 1, 1)`,
      'UPDATE sessions SET last_used_at = 2',
      'DELETE FROM sessions',
    ]) {
      await expect(pair.source.sql(statement)).rejects.toThrow(refused);
    }
  });

  test('are not in a backup, and end when one is restored in their place', async () => {
    using folder = createTemporaryFolder();
    await using pair = await createPair(from, to);
    await signIn(pair.source);
    await signIn(pair.target);
    const path = folder.file('shop.backup');
    await run('backup', path, '--database', pair.source.address);
    expect(readFileSync(path).includes(TOKEN_HASH)).toBe(false);
    await run('restore', path, '--force', '--database', pair.target.address);
    // The key with the id of their key may be another one now.
    expect(await sessionsIn(pair.target)).toBe(0);
    expect(await sessionsIn(pair.source)).toBe(1);
  });
});
