import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/open.ts';
import { sqlite } from '../support/engines.ts';
import { postgres } from '../support/postgres-engine.ts';
import { type Content, contentOf, putContent } from './content.ts';
import { type Aftermath, FAULTS, failureAt, striking } from './faults.ts';
import { createPair, move, type Pair, some } from './moving.ts';
import { pairs } from './pairs.ts';

// Databases and commands are started, on a machine that may be busy.
setDefaultTimeout(120_000);

const SCRIPT = join(import.meta.dir, 'kill-during-move.ts');

/** Opens a database for serving; gives the message with which it is refused, if it is. */
async function refusalOf(address: string): Promise<string | undefined> {
  try {
    const storage = await openStorage(address, 'production');
    await storage.close();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const EXPECTED: Readonly<
  Record<Aftermath, (pair: Pair, content: Content) => void | Promise<void>>
> = {
  async untouched(pair, content) {
    expect(await refusalOf(pair.source.address)).toBeUndefined();
    expect(await refusalOf(pair.target.address)).toBeUndefined();
    expect(Object.values((await contentOf(pair.target.address)).rows).flat()).toEqual([]);
    await move(pair);
    expect(await contentOf(pair.target.address)).toEqual(content);
  },
  async 'left over'(pair, content) {
    expect(await refusalOf(pair.source.address)).toBeUndefined();
    expect(await refusalOf(pair.target.address)).toMatch(/a copy of .* that was not finished/);
    await expect(move(pair)).rejects.toThrow(/interrupted before its source was fenced/);
    expect(await contentOf(pair.source.address)).toEqual(content);
  },
  async 'to be finished'(pair, content) {
    expect(await refusalOf(pair.source.address)).toMatch(/is fenced: it was moved to/);
    expect(await refusalOf(pair.target.address)).toMatch(/a copy of .* that was not finished/);
    expect(await move(pair)).toBe('finished');
    expect(await refusalOf(pair.source.address)).toMatch(/is fenced: it was moved to/);
    expect(await refusalOf(pair.target.address)).toBeUndefined();
    expect(await contentOf(pair.target.address)).toEqual(content);
  },
};

describe('a move from SQLite to PostgreSQL', () => {
  test.each([...FAULTS])(
    'that is killed at %o',
    async (fault, aftermath) => {
      await using pair = await createPair(sqlite, postgres);
      const content = some();
      await putContent(pair.source.address, content);
      const { source, target } = pair;
      const args = [source.address, target.address, JSON.stringify(fault)];
      const child = Bun.spawn([process.execPath, SCRIPT, ...args], { stderr: 'inherit' });
      await child.exited;
      expect(child.signalCode).toBe('SIGKILL');
      await EXPECTED[aftermath](pair, content);
    },
    60_000,
  );
});

// In process, which takes a tenth of the time: they come to the same, but for what one clears away that lives.
describe.each(pairs.filter(({ from, to }) => from !== sqlite || to !== postgres))(
  'a move from $name',
  ({ from, to }) => {
    test.each([...FAULTS])(
      'that fails at %o',
      async (fault, aftermath) => {
        await using pair = await createPair(from, to);
        const content = some();
        await putContent(pair.source.address, content);
        const failure = failureAt(fault);
        const failing = move(
          pair,
          striking(fault, () => {
            throw failure;
          }),
        );
        await expect(failing).rejects.toThrow(
          aftermath === 'to be finished' || fault.side === 'source'
            ? /run the same command again|in service as before/
            : /in service as before; .* is empty/,
        );
        // One that lives clears away what it left, unless nobody knows what became of a commit.
        const clears = aftermath === 'left over' && fault.side === 'source';
        await EXPECTED[clears ? 'untouched' : aftermath](pair, content);
      },
      60_000,
    );
  },
);
