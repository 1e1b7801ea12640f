import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { type Interruption, listenForInterruption } from '../../src/cli/progress.ts';
import { backUp } from '../../src/storage/transfer/backup.ts';
import type { Progress } from '../../src/storage/transfer/copy.ts';
import { openSource } from '../../src/storage/transfer/open-portable.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { putContent } from './content.ts';
import { some } from './moving.ts';

// The database is made on a machine that may be busy.
setDefaultTimeout(60_000);

let interruption: Interruption | undefined;
afterEach(() => interruption?.[Symbol.dispose]());

/** Backs a shop of SQLite up, and calls back with the share of the rows that are done. */
async function backUpSome(
  folder: TemporaryFolder,
  isInterrupted: () => boolean,
  watch: (share: number) => void,
): Promise<void> {
  const address = `sqlite:${folder.file('shop.db')}`;
  await putContent(address, some());
  const source = await openSource(address);
  let all = 0;
  let done = 0;
  const progress: Progress = {
    start: (total) => {
      all = total;
    },
    advance: (step) => {
      done += step;
      watch(done / all);
    },
    isInterrupted,
  };
  try {
    const target = { path: folder.file('shop.backup'), force: false, own: undefined };
    await backUp(source, target, progress);
  } finally {
    await source.close();
  }
}

const backupsIn = (folder: TemporaryFolder) =>
  readdirSync(folder.path).filter((name) => name.startsWith('shop.backup'));

test.each([
  ['copies', 0.01],
  ['reads back', 0.51],
  ['checks what it wrote', 1],
])('a signal ends a backup that %s, and leaves nothing', async (_, from) => {
  using folder = createTemporaryFolder();
  const listening = listenForInterruption();
  interruption = listening;
  let sent = false;
  const running = backUpSome(
    folder,
    () => listening.requested,
    (share) => {
      if (sent || share < from) return;
      sent = true;
      process.kill(process.pid, 'SIGINT');
    },
  );
  await expect(running).rejects.toThrow('stopped as you asked. There is no new backup.');
  expect(sent).toBe(true);
  expect(backupsIn(folder)).toEqual([]);
});

test('a backup under way is one file, so that one which is killed leaves no other', async () => {
  using folder = createTemporaryFolder();
  const seen = new Set<string>();
  await backUpSome(
    folder,
    () => false,
    () => seen.add(backupsIn(folder).join(' ')),
  );
  expect([...seen]).toEqual([expect.stringMatching(/^shop\.backup\.[0-9a-f]{8}\.partial$/)]);
  expect(backupsIn(folder)).toEqual(['shop.backup']);
});
