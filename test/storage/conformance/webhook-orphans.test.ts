import { describe, expect, test } from 'bun:test';
import type { Scope } from '../../../src/domain/api-key.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { numbered } from '../change-recorder.ts';
import { newKey, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const NOW = CHANGE_STAMP.at;

describeContract((engine) => {
  let keys = 0;
  const subject = forEachTest(() => openSubject(engine));

  const key = async (scopes: readonly Scope[], expiresAt: number | null = null) =>
    await subject.storage.keys.create(newKey({ name: `${++keys}`, scopes, expiresAt }));

  async function webhookOf(ownerId: bigint | null): Promise<bigint> {
    const webhook = { url: 'https://a.example', types: null, description: null, createdAt: NOW };
    return (await subject.storage.webhooks.create({ ...webhook, ownerId }, () => 'x')).id;
  }

  async function isOrphan(id: bigint, now = NOW): Promise<boolean | undefined> {
    const { webhooks } = await subject.storage.deliveries.snapshot(now);
    return webhooks.find((webhook) => webhook.id === id)?.isOrphan;
  }

  describe('a webhook of a key', () => {
    test.each<[readonly Scope[], boolean]>([
      [['read', 'webhooks'], false],
      [['adopt', 'webhooks'], false],
      [['write', 'webhooks'], false],
      [['admin'], false],
      [['webhooks'], true],
      [['write'], true],
      [[], true],
    ])('with the scopes %p is an orphan: %p', async (scopes, expected) => {
      expect(await isOrphan(await webhookOf((await key(scopes)).id))).toBe(expected);
      expect(await isOrphan(await webhookOf(null))).toBe(false);
    });

    test('is an orphan when the key has ended, unless a successor is active', async () => {
      const { keys: stored } = subject.storage;
      const first = await key(['read', 'webhooks'], NOW + 1_000);
      const id = await webhookOf(first.familyId);
      expect(await isOrphan(id, NOW + 999)).toBe(false);
      expect(await isOrphan(id, NOW + 1_000)).toBe(true);
      const rotated = await stored.rotate(first.id, {
        hash: 'f'.repeat(64),
        at: NOW,
        overlapMs: 0,
      });
      expect(await isOrphan(id, NOW + 999)).toBe(false);
      await stored.revoke(rotated?.successor.id ?? 0n, NOW);
      expect(await isOrphan(id, NOW)).toBe(true);
    });

    test('is disabled by the leader alone, once', async () => {
      const { deliveries, webhooks } = subject.storage;
      const id = await webhookOf(999n);
      const { lease } = await deliveries.snapshot(NOW);
      const term = (await deliveries.takeLease(lease)) ?? 0n;
      await deliveries.disableOrphans(term + 1n, [id], NOW);
      expect((await webhooks.find(id))?.disabledReason).toBeNull();
      await deliveries.disableOrphans(term, [id], NOW);
      await deliveries.disableOrphans(term, [id], NOW);
      expect(await webhooks.find(id)).toMatchObject({ disabledReason: 'key' });
      expect((await deliveries.snapshot(NOW)).webhooks).toMatchObject([{ id, revision: 2n }]);
      await subject.storage.optimize();
      await numbered(subject.storage.changes);
      const lines = await subject.storage.audit.list({}, { afterId: undefined, limit: 9 });
      expect(lines.items).toMatchObject([
        {
          ...{ type: 'webhook.updated', at: NOW, actor: null, subject: { type: 'webhook', id } },
          changes: { status: ['enabled', 'disabled'], disabledReason: [null, 'key'] },
        },
      ]);
    });
  });
});
