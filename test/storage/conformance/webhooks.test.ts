import { describe, expect, test } from 'bun:test';
import {
  type NewWebhook,
  WEBHOOKS_MAX,
  type Webhook,
  webhookStatus,
} from '../../../src/domain/webhook.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';
import { delivered, pending, stored } from './delivery-states.ts';

const CREATED = 1_800_000_000_123;

function newWebhook(parts: Partial<NewWebhook> = {}): NewWebhook {
  return {
    url: 'https://partner.example/events',
    types: null,
    description: null,
    createdAt: CREATED,
    ...parts,
  };
}

const secretFor = (id: bigint) => `secret of ${id}`;

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  const create = (parts?: Partial<NewWebhook>) =>
    subject.storage.webhooks.create(newWebhook(parts), secretFor);

  describe('webhooks', () => {
    test('are bounded in number, also when several are created at once', async () => {
      for (let n = 1; n < WEBHOOKS_MAX; n++) await create();
      await using other = await subject.another();
      const last = await Promise.allSettled([
        create(),
        other.storage.webhooks.create(newWebhook(), secretFor),
      ]);
      expect(last.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(last.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'conflict' },
      });
      await subject.storage.webhooks.remove(1n, () => {});
      await create();
    });

    test('concurrent changes are not lost', async () => {
      await create({ description: '' });
      await using other = await subject.another();
      const add = (current: Webhook) => ({ ...current, description: `${current.description}x` });
      await Promise.all(
        [subject, other, subject, other].map(({ storage }) => storage.webhooks.update(1n, add)),
      );
      expect(await subject.storage.webhooks.find(1n)).toMatchObject({ description: 'xxxx' });
    });

    test('survive a reset', async () => {
      const webhook = await create();
      await stored(subject.storage, 1n, [delivered(1n)]);
      await subject.storage.reset(CHANGE_STAMP);
      expect(webhookStatus(webhook)).toBe('enabled');
      expect(await subject.storage.webhooks.find(1n)).toMatchObject({ url: webhook.url });
      const page = { afterId: undefined, limit: 10 };
      expect((await subject.storage.webhooks.deliveries(1n, page)).items).toHaveLength(1);
    });
  });

  describe('the log of deliveries', () => {
    test('is listed newest first, in pages, for each webhook', async () => {
      await create();
      await create();
      const body = 'It is "odd"\n😺';
      const states = [
        delivered(1n),
        pending(2n, { attempts: 1, responseStatus: 500, responseBody: body, error: 'HTTP 500' }),
        delivered(4n, { status: 'failed', deliveredAt: null }),
      ];
      await stored(subject.storage, 1n, states);
      await stored(subject.storage, 2n, [delivered(3n)]);
      const { webhooks } = subject.storage;
      const first = await webhooks.deliveries(1n, { afterId: undefined, limit: 2 });
      expect(first.more).toBe(true);
      const [{ record: _, ...second }] = [states[1] ?? pending(0n)];
      expect(first.items).toMatchObject([
        { id: 4n, status: 'failed' },
        { id: 2n, ...second },
      ]);
      expect(await webhooks.deliveries(1n, { afterId: 2n, limit: 2 })).toMatchObject({
        more: false,
        items: [{ eventId: 1n, status: 'delivered' }],
      });
    });

    test.each(['delivered', 'failed', 'pending'] as const)(
      'one that is %s can be due again',
      async (status) => {
        await create();
        await stored(subject.storage, 1n, [delivered(1n, { status, attempts: 3 })]);
        const { webhooks } = subject.storage;
        const due = {
          eventId: 1n,
          status: 'pending',
          attempts: 3,
          nextAttemptAt: 77,
          deliveredAt: null,
        };
        expect(await webhooks.retry(1n, 1n, 77)).toMatchObject(due);
        expect(await webhooks.retry(1n, 2n, 77)).toBeUndefined();
        expect(await webhooks.retry(2n, 1n, 77)).toBeUndefined();
      },
    );
  });
});
