import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import type { ChangeType } from '../../src/domain/change-log.ts';
import { HOUR_MS } from '../../src/domain/clock.ts';
import type { DisabledReason } from '../../src/domain/webhook.ts';
import { openStorage } from '../../src/storage/open.ts';
import { chosenEngine, type TestDatabase } from '../support/engines.ts';
import { examined, findingsLike } from './examination.ts';

// The first may have to start a database server.
setDefaultTimeout(60_000);

describe.each([chosenEngine()])('webhooks on $name', (engine) => {
  let database: TestDatabase;
  let changes: number;
  beforeEach(async () => {
    changes = 0;
    database = await engine.createDatabase();
    await (await openStorage(database.address, 'production')).close();
    if (engine.name === 'sqlite') chmodSync(database.address.slice('sqlite:'.length), 0o600);
  });
  afterEach(() => database[Symbol.asyncDispose]());

  /** What the doctor says of webhooks and their events, not of their secrets. */
  const found = async () =>
    findingsLike(await examined({ PETSTORE_DATABASE: database.address }), 'database', /webhook/)
      .filter((finding) => !finding.found.includes('secrets'))
      .map(({ verdict, found }) => `${verdict} ${found}`);

  async function create(...reasons: (DisabledReason | null)[]): Promise<void> {
    const storage = await openStorage(database.address, 'production');
    for (const disabledReason of reasons) {
      const types: ChangeType[] = ['pet.created', 'pet.deleted'];
      const webhook = { url: 'https://partner.example/', types, description: null, createdAt: 0 };
      const { id } = await storage.webhooks.create(webhook, () => 'whsec_x');
      await storage.webhooks.update(id, (current) => ({ ...current, disabledReason }));
    }
    await storage.close();
  }
  const change = (type: ChangeType, hoursAgo: number) =>
    database.sql(
      `INSERT INTO changes (id, type, at)
       VALUES (${++changes}, '${type}', ${Date.now() - hoursAgo * HOUR_MS - 60_000})`,
    );
  const deliver = (webhookId: number, eventId: number, status: string, hoursAgo: number) =>
    database.sql(
      `INSERT INTO deliveries (webhook_id, event_id, type, record, status, attempts, created_at)
       VALUES (${webhookId}, ${eventId}, 'pet.created', 'pet 1', '${status}', 1,
         ${Date.now() - hoursAgo * HOUR_MS - 60_000})`,
    );

  test('of which there are none are not mentioned', async () => {
    expect(await found()).toEqual([]);
  });

  test('that work are good', async () => {
    await create(null);
    expect(await found()).toEqual(['good 1 webhook gets its events.']);
    await create(null);
    await change('pet.created', 0);
    expect(await found()).toEqual(['good 2 webhooks get their events.']);
  });

  test('that are disabled are named with the reason', async () => {
    await create('gone', null, 'failing', 'requested', 'failing', 'copied');
    await change('pet.created', 5);
    await deliver(1, 1, 'pending', 5);
    await deliver(2, 1, 'delivered', 5);
    expect(await found()).toEqual([
      'good 1 webhook is disabled: on request (id 4).',
      'advice 1 webhook is disabled: the endpoint responded with 410 (id 1).',
      'advice 2 webhooks are disabled: nothing was delivered for 5 days (ids 3, 5).',
      'advice 1 webhook is disabled: the database was restored or copied (id 6).',
    ]);
  });

  test('of which very many are disabled are named in part', async () => {
    await create(...Array<DisabledReason>(12).fill('copied'));
    expect(await found()).toEqual([
      'advice 12 webhooks are disabled: the database was restored or copied (ids 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more).',
    ]);
  });

  test('of which every attempt fails are worth a look, at once', async () => {
    await create(null, null, null);
    const failSince = (id: number, at: number) =>
      database.sql(`UPDATE webhooks SET failing_since = ${at} WHERE id = ${id}`);
    await change('pet.created', 0);
    await deliver(1, 1, 'pending', 0);
    await failSince(1, Date.UTC(2026, 10, 22, 14, 5, 6));
    expect(await found()).toEqual([
      'advice 1 webhook gets nothing: every attempt fails, since 2026-11-22T14:05:06 UTC (id 1).',
    ]);
    // The first attempt has just failed.
    await failSince(2, Date.now());
    expect(await found()).toEqual([
      'advice 2 webhooks get nothing: every attempt fails, since 2026-11-22T14:05:06 UTC (ids 1, 2).',
    ]);
  });

  test('whose event was attempted and waits for more than an hour are worth a look', async () => {
    await create(null, null);
    await change('pet.created', 30);
    await deliver(1, 1, 'pending', 30);
    await deliver(2, 1, 'failed', 30);
    expect(await found()).toEqual([
      'advice 1 webhook has events to get that are older than an hour, the oldest 30 h (id 1).',
    ]);
  });

  test('whose event was not attempted for more than an hour are worth a look', async () => {
    await create(null, null);
    // Not wanted.
    await change('order.placed', 9);
    await change('pet.deleted', 2);
    await deliver(2, 2, 'delivered', 2);
    expect(await found()).toEqual([
      'advice 1 webhook has events to get that are older than an hour, the oldest 2 h (id 1).',
    ]);
  });
});
