import { describe, expect, test } from 'bun:test';
import { CHANNELS_MAX, SENDINGS_KEPT } from '../../../src/domain/channel.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { chosenEngine } from '../../support/engines.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { openSubject } from '../subject.ts';

const NOW = CHANGE_STAMP.at;
const NEW = {
  kind: 'csv',
  address: 'sftp://shop@files.example/in',
  accountId: null,
  photosAs: 'uploads',
  ...{ everyMs: 60_000, nextAt: NOW + 60_000, createdAt: NOW },
} as const;

describe(chosenEngine().name, () => {
  const subject = forEachTest(() => openSubject(chosenEngine()));
  const channels = () => subject.storage.channels;
  const create = () => channels().create(NEW, (id) => `secret of ${id}`, CHANGE_STAMP);
  const end = {
    outcome: 'sent',
    leftOut: [{ petId: 9_007_199_254_740_993n, reason: 'breed' }],
    ...{ rows: 4, bytes: 99, photosSent: 3, photosLeft: 2, leftOutCount: 1, problem: null },
    ...{ endedAt: NOW + 5, nextAt: NOW + 60_005 },
  } as const;

  test('what somebody asks for is sent once, though others ask too', async () => {
    const { id } = await create();
    const asked = await channels().request(id, false, NOW + 1);
    expect(await channels().request(id, true, NOW + 2)).toEqual({
      ...asked,
      anyway: true,
    } as typeof asked);
    expect((await channels().find(id))?.nextAt).toBe(NOW + 2);
    const begun = await channels().begin(id, NOW + 3);
    expect(begun).toMatchObject({ id: asked?.id, outcome: 'pending', anyway: true });
    await channels().end(begun, end);
    expect(await channels().find(id)).toMatchObject({
      sentRows: 4,
      sentAt: NOW + 5,
      nextAt: NOW + 60_005,
    });
    const { items } = await channels().sendings(id, { afterId: undefined, limit: 9 });
    expect(items).toEqual([
      {
        ...begun,
        endedAt: NOW + 5,
        outcome: 'sent',
        rows: 4,
        bytes: 99,
        ...{ photosSent: 3, photosLeft: 2 },
        leftOutCount: 1,
        leftOut: [...end.leftOut],
      },
    ]);
    expect(await channels().request(999n, false, NOW)).toBeUndefined();
  });

  test('failures are counted until a success, and keep what was sent before', async () => {
    const { id } = await create();
    await channels().end(await channels().begin(id, NOW), end);
    const failed = { ...end, outcome: 'failed', rows: 0, problem: 'It is away.' } as const;
    for (const failures of [1, 2]) {
      await channels().end(await channels().begin(id, NOW), failed);
      expect(await channels().find(id)).toMatchObject({
        failures,
        problem: 'It is away.',
        sentRows: 4,
      });
    }
    await channels().end(await channels().begin(id, NOW), { ...failed, disabledReason: 'sign_in' });
    await channels().told(id, NOW);
    expect(await channels().find(id)).toMatchObject({ disabledReason: 'sign_in', toldAt: NOW });
    const { channels: work } = await subject.storage.work.list(NOW);
    expect(work).toMatchObject({ count: 1, first: [{ id, disabledReason: 'sign_in' }] });
    await channels().end(await channels().begin(id, NOW), end);
    expect(await channels().find(id)).toMatchObject({ failures: 0, problem: null, toldAt: null });
  });

  test('the newest sendings are kept', async () => {
    const { id } = await create();
    for (let n = 0; n < SENDINGS_KEPT + 3; n++) {
      await channels().end(await channels().begin(id, NOW + n), end);
    }
    const { items } = await channels().sendings(id, { afterId: undefined, limit: 200 });
    expect(items).toHaveLength(SENDINGS_KEPT);
    expect(items[0]?.startedAt).toBe(NOW + SENDINGS_KEPT + 2);
  });

  test('there are never more than the limit, also at once', async () => {
    // All at once, the last would wait for longer than a busy machine may take.
    for (let n = 3; n < CHANNELS_MAX; n++) await create();
    const all = await Promise.allSettled(Array.from({ length: 6 }, create));
    expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(3);
    expect(await channels().all()).toHaveLength(CHANNELS_MAX);
  });
});
