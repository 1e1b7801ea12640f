import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { openStorage } from '../../src/storage/open.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const ROW = "INSERT INTO changes (type, at) VALUES ('store.reset', 0)";

test('a commit of another connection is noticed in the very turn in which the tracker was asked before', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const storage = await openStorage(`sqlite:${path}`, 'production');
  using other = new Database(path);
  let changes = 0;
  const tracker = storage.trackChanges(() => {
    changes++;
  });
  for (let round = 1; round <= 3; round++) {
    // Nothing is awaited: it is all one turn of the event loop.
    expect(tracker.catchUp()).toBe(true);
    const before = changes;
    expect(tracker.catchUp()).toBe(true);
    expect(changes).toBe(before);
    other.run(ROW);
    expect(tracker.catchUp()).toBe(true);
    expect(changes).toBe(before + 1);
  }
  await storage.close();
});
