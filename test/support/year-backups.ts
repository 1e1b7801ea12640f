import { expect } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeBackup, newestOf, openPlace } from '../../src/backups/make.ts';
import { type Clock, DAY_MS } from '../../src/domain/clock.ts';
import { contentOf, restoredContent, UNWATCHED } from '../transfer/content.ts';
import { runHere } from './command-line.ts';
import { createTemporaryFolder } from './temporary.ts';

/** As the service keeps them by default. */
const KEEP = 14;

/** The backups of a shop, one a day, made as the process that a server starts for each makes them. */
export interface YearBackups extends Disposable {
  /** Makes the backup that is due, and removes the oldest. There are never more than are kept. */
  make(): Promise<void>;
  /** Expects as many backups as are kept, of which the newest is at most a day old and equals the shop once restored. */
  expectNewest(): Promise<void>;
  count(): number;
  /** Bytes of all of them. */
  size(): number;
}

export function keepBackups(database: string, clock: Clock): YearBackups {
  const folder = createTemporaryFolder();
  const order = { database, environment: 'production', place: folder.path } as const;
  const files = () => readdirSync(folder.path).filter((name) => name.endsWith('.backup'));

  return {
    async make() {
      const due = { ...order, everyMs: DAY_MS, keep: KEEP, checks: false, now: clock.now() };
      const outcome = await makeBackup(due, UNWATCHED);
      expect(outcome).toMatchObject({ result: 'made', newest: expect.anything() });
      expect(files().length).toBeLessThanOrEqual(KEEP);
    },
    async expectNewest() {
      expect(files()).toHaveLength(KEEP);
      const newest = newestOf(await openPlace(order).list(), clock.now());
      expect(clock.now() - (newest?.at ?? 0)).toBeLessThanOrEqual(DAY_MS);
      using folder = createTemporaryFolder();
      const address = `sqlite:${folder.file('restored.db')}`;
      const command = ['restore', join(order.place, newest?.name ?? ''), '--database', address];
      expect(await runHere(command)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await contentOf(address)).toEqual(restoredContent(await contentOf(database)));
    },
    count: () => files().length,
    size: () => files().reduce((sum, name) => sum + statSync(folder.file(name)).size, 0),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
