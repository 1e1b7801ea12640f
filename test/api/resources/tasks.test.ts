import { expect, test } from 'bun:test';
import { eventually } from '../../support/eventually.ts';
import { startPetstore } from '../../support/start.ts';
import { createTemporaryFolder } from '../../support/temporary.ts';

test('/v1/tasks (getTasks) says when each task last succeeded, to administrators', async () => {
  using folder = createTemporaryFolder();
  const settings = { PETSTORE_BACKUP: `${folder.path}/gone`, PETSTORE_BACKUP_EVERY: '6h' };
  await using petstore = await startPetstore({ settings });
  petstore.clock.advance(60_000);
  const tasks = await eventually(
    async () => JSON.parse((await petstore.admin.get('/v1/tasks')).text).tasks,
    (found) => found.length === 2 && found.every((each: { dueAt: unknown }) => each.dueAt !== null),
  );
  expect(tasks).toEqual([
    expect.objectContaining({
      ...{ name: 'backups', underWay: false, succeededAt: null },
      failures: expect.any(Number),
      problem: expect.stringContaining('there is no folder'),
    }),
    expect.objectContaining({ name: 'retention', failures: 0, problem: null }),
  ]);
  expect((await petstore.writer.get('/v1/tasks')).status).toBe(403);
});
