import { describe, expect, test } from 'bun:test';
import { forEachTest } from '../../support/lifetime.ts';
import { openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  const tasks = () => subject.storage.tasks;
  const known = async () => (await tasks().list())[0];

  describe('a task', () => {
    test('is taken by one of several processes at once', async () => {
      await using other = await subject.another();
      expect(await tasks().list()).toEqual([]);
      const all = [subject.storage, other.storage, subject.storage, other.storage];
      const taken = await Promise.all(
        all.map((storage, n) => storage.tasks.take('backups', `host ${n}`, undefined, 7)),
      );
      expect(taken.filter((each) => each !== undefined)).toHaveLength(1);
      expect(await tasks().list()).toEqual(taken.flatMap((each) => each ?? []));
      expect(await known()).toMatchObject({ turn: 1n, heartbeat: 1n, startedAt: 7, endedAt: null });
    });

    test('is not taken from a process whose heart has beaten since it was seen', async () => {
      const seen = await tasks().take('backups', 'one', undefined, 1);
      expect(await tasks().beat('backups', 1n)).toBe(true);
      expect(await tasks().take('backups', 'two', seen, 2)).toBeUndefined();
      const taken = await tasks().take('backups', 'two', await known(), 2);
      expect(taken).toMatchObject({ turn: 2n, heartbeat: 1n, holder: 'two', startedAt: 2 });
      expect(await tasks().beat('backups', 1n)).toBe(false);
      expect(await tasks().end('backups', 1n, { at: 3, problem: undefined })).toBeUndefined();
      expect(await known()).toEqual(taken);
    });

    test('counts failures until it succeeds, and is due when its process says', async () => {
      for (let n = 1; n <= 2; n++) {
        const taken = await tasks().take('backups', 'one', await known(), n);
        await tasks().plan('backups', 50);
        const end = { at: n + 10, problem: `no room ${n}` };
        const ended = await tasks().end('backups', taken?.turn ?? 0n, end);
        expect(ended).toEqual(await known());
        expect(ended).toMatchObject({ heartbeat: 0n, failures: n, problem: `no room ${n}` });
        expect(ended).toMatchObject({ endedAt: n + 10, succeededAt: null, dueAt: null });
      }
      await tasks().take('backups', 'one', await known(), 20);
      await tasks().end('backups', 3n, { at: 21, problem: undefined });
      expect(await known()).toMatchObject({ failures: 0, problem: null, succeededAt: 21 });
    });

    test('that is given back, or forgotten, says nothing of how it went', async () => {
      await tasks().take('backups', 'one', undefined, 1);
      await tasks().end('backups', 1n, { at: 2, problem: undefined });
      await tasks().take('backups', 'two', await known(), 3);
      await tasks().end('backups', 2n, undefined);
      expect(await known()).toMatchObject({ turn: 2n, heartbeat: 0n, startedAt: 3, endedAt: 2 });
      await tasks().forget('backups');
      expect(await tasks().list()).toEqual([]);
    });
  });
});
