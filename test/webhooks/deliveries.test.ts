import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DAY_MS } from '../../src/domain/clock.ts';
import type { SendOutcome } from '../../src/webhooks/client.ts';
import { anyState } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually, eventuallyIs } from '../support/eventually.ts';
import { forEachTest } from '../support/lifetime.ts';
import { ERROR, OK, startTestDeliveries } from './test-deliveries.ts';

// Databases are started, on a machine that may be busy.
setDefaultTimeout(120_000);

describe.each([chosenEngine()])('with $name, a deliverer', (engine) => {
  const running = forEachTest(() => startTestDeliveries(engine));

  const deliveries = async (id = 1n) =>
    (await running.storage.webhooks.deliveries(id, { afterId: undefined, limit: 100 })).items;
  const statuses = async (id?: bigint) =>
    (await deliveries(id)).map(({ eventId, status }) => `${eventId} ${status}`).toReversed();
  const arrivedIds = (webhookId = 1n) =>
    running.arrived.filter((each) => each.webhookId === webhookId).map(({ id }) => Number(id));
  const add = async (name: string) =>
    (await running.storage.categories.create(name, CHANGE_STAMP)).id;
  const rename = async (id: bigint, name: string) =>
    await running.storage.categories.rename(id, name, CHANGE_STAMP, anyState);
  const settle = (count: number, id?: bigint) =>
    eventually(
      () => deliveries(id),
      (items) => items.filter(({ status }) => status !== 'pending').length === count,
    );
  const become = (...expected: string[]) =>
    eventually(statuses, (found) => found.join() === expected.join());
  /** Waits until the first delivery was attempted this often. */
  const attempted = (attempts: number) =>
    eventually(deliveries, (found) => found.at(-1)?.attempts === attempts);
  const fail = (...ids: number[]) => {
    running.respond = ({ id }) => (ids.includes(Number(id)) ? ERROR : OK);
  };

  test('delivers what happens after the webhook was created, once, and logs it', async () => {
    await add('before');
    await running.storage.optimize();
    await running.webhook();
    for (const name of ['A', 'B', 'C']) await add(name);
    await settle(3);
    expect(arrivedIds().toSorted()).toEqual([2, 3, 4]);
    expect(await deliveries()).toMatchObject([
      { eventId: 4n, status: 'delivered', attempts: 1, responseStatus: 200, error: null },
      { eventId: 3n, status: 'delivered' },
      { eventId: 2n, type: 'category.created', deliveredAt: running.clock.now() },
    ]);
    expect(await running.storage.webhooks.find(1n)).toMatchObject({
      lastSuccessAt: running.clock.now(),
    });
    expect(running.running.report()).toMatchObject({ queued: 0, attempts: { delivered: 3 } });
  });

  test('sends only the types that are wanted', async () => {
    await running.webhook(['category.updated']);
    const id = await add('A');
    await rename(id, 'B');
    await add('C');
    await settle(1);
    expect(arrivedIds()).toEqual([2]);
  });

  test('tries again on schedule, and keeps later events of the record waiting, not others', async () => {
    await running.webhook();
    fail(1);
    const first = await add('A');
    await rename(first, 'A2');
    await add('B');
    await become('1 pending', '2 pending', '3 delivered');
    await attempted(1);
    const [, second, waiting] = await deliveries();
    const due = running.clock.now() + 5_000;
    expect(waiting).toMatchObject({ attempts: 1, nextAttemptAt: due, responseBody: 'no' });
    expect(second).toMatchObject({ attempts: 0, nextAttemptAt: null });
    fail();
    running.clock.advance(5_000);
    await settle(3);
    expect(arrivedIds()).toEqual([1, 3, 1, 2]);
  });

  test('gives up after the last attempt, and goes on with the next event of the record', async () => {
    await running.webhook();
    fail(1);
    const first = await add('A');
    await rename(first, 'A2');
    for (const attempts of [1, 2]) {
      await attempted(attempts);
      running.clock.advance(60_000);
    }
    await settle(2);
    expect(await statuses()).toEqual(['1 failed', '2 delivered']);
    expect((await deliveries()).at(-1)).toMatchObject({
      attempts: 3,
      error: 'The receiver responded with 500.',
      responseStatus: 500,
      nextAttemptAt: null,
    });
  });

  test('sends a reset after all earlier events, and before all later ones', async () => {
    await running.webhook();
    fail(1);
    await add('A');
    await add('B');
    await running.storage.reset(CHANGE_STAMP);
    await add('C');
    await become('1 pending', '2 delivered', '3 pending', '4 pending');
    await attempted(1);
    fail();
    running.clock.advance(5_000);
    await settle(4);
    expect(arrivedIds().slice(2)).toEqual([1, 3, 4]);
  });

  test.each([429, 503])('honours the Retry-After of %d', async (status) => {
    await running.webhook();
    const limited: SendOutcome = { status, retryAfter: '7200', body: '', milliseconds: 1 };
    running.respond = () => limited;
    await add('A');
    await attempted(1);
    const nextAttemptAt = running.clock.now() + 7_200_000;
    expect(await deliveries()).toMatchObject([{ nextAttemptAt }]);
  });

  test('disables an endpoint that is gone at once, and starts again where it stopped', async () => {
    await running.webhook();
    running.respond = () => ({ status: 410, body: '', milliseconds: 1 });
    await add('A');
    const { webhooks } = running.storage;
    await eventually(
      () => webhooks.find(1n),
      (found) => found?.disabledReason === 'gone',
    );
    await add('B');
    fail();
    expect(running.warnings).toEqual(['a webhook was disabled {"webhookId":"1","reason":"gone"}']);
    await webhooks.update(1n, (current) => ({ ...current, disabledReason: null }));
    await settle(2);
    // The second change is the line of the audit.
    expect(await statuses()).toEqual(['1 failed', '3 delivered']);
  });

  test('ignores what a receiver says after the webhook has got another URL', async () => {
    await running.webhook();
    // After a success there may be two attempts at once.
    await add('A');
    await settle(1);
    const late = Promise.withResolvers<SendOutcome>();
    running.respond = ({ id, url }) => (id === '2' && url.includes('partner') ? late.promise : OK);
    await add('B');
    await eventually(arrivedIds, (ids) => ids.length === 2);
    const { webhooks } = running.storage;
    await webhooks.update(1n, (current) => ({ ...current, url: 'https://other.example/events' }));
    await eventually(
      async () => {
        await add(crypto.randomUUID());
        return running.arrived.at(-1)?.url;
      },
      (url) => url === 'https://other.example/events',
    );
    late.resolve({ status: 410, body: '', milliseconds: 1 });
    await eventually(
      () => running.arrived.filter(({ id }) => id === '2').map(({ url }) => url),
      (urls) => urls.length === 2,
    );
    await eventually(statuses, (found) => found.includes('2 delivered'));
    expect(await webhooks.find(1n)).toMatchObject({ disabledReason: null });
  });

  test('disables an endpoint without a success for five days', async () => {
    await running.webhook();
    running.respond = () => ERROR;
    await add('A');
    await attempted(1);
    running.clock.advance(5 * DAY_MS);
    const find = () => running.storage.webhooks.find(1n);
    expect(await eventually(find, (found) => found?.disabledReason !== null)).toMatchObject({
      disabledReason: 'failing',
    });
  });

  test('is not held up by an endpoint that hangs', async () => {
    const [hanging, healthy] = [await running.webhook(), await running.webhook()];
    running.respond = ({ webhookId }) => (webhookId === hanging.id ? new Promise(() => {}) : OK);
    for (let n = 0; n < 50; n++) await add(`A${n}`);
    await settle(50, healthy.id);
    // An endpoint that has never responded gets one event at a time.
    expect(arrivedIds(hanging.id)).toHaveLength(1);
    expect(running.running.report()).toMatchObject({ sending: 1 });
  });

  test('stops reading for an endpoint that is down, and catches up as soon as it works', async () => {
    await running.webhook();
    running.respond = () => ERROR;
    for (let n = 0; n < 600; n++) await add(`A${n}`);
    const { running: deliverer, arrived } = running;
    await eventually(deliverer.report, ({ sending, queued, attempts }) => {
      return sending === 0 && queued > 0 && queued === attempts.rejected;
    });
    // It reads a hundred at a time, and some before the first ones have failed.
    expect(arrived.length).toBeLessThan(600);
    fail();
    running.clock.advance(5_000);
    await eventually(deliverer.report, ({ attempts }) => attempts.delivered === 600);
    expect(new Set(arrivedIds()).size).toBe(600);
  });

  test('reads on for an endpoint that is down once all its deliveries have failed', async () => {
    await running.webhook();
    running.respond = () => ERROR;
    for (let n = 0; n < 30; n++) await add(`A${n}`);
    const rejected = (count: number) =>
      eventually(running.running.report, ({ queued, sending, attempts }) => {
        return attempts.rejected === count && sending === 0 && queued <= 30;
      });
    await rejected(30);
    running.clock.advance(5_000);
    await rejected(60);
    running.clock.advance(60_000);
    await eventually(running.running.report, ({ queued }) => queued === 0);
    fail();
    await add('B');
    await eventually(running.running.report, ({ attempts }) => attempts.delivered === 1);
  });

  test('makes a delivery again when asked to', async () => {
    await running.webhook();
    await add('A');
    await settle(1);
    await running.storage.webhooks.retry(1n, 1n, running.clock.now());
    await eventually(deliveries, (found) => found[0]?.attempts === 2);
    expect(arrivedIds()).toEqual([1, 1]);
  });

  test('gives up an event that was removed from the log', async () => {
    await running.webhook();
    fail(1);
    await add('A');
    await add('B');
    await settle(1);
    await running.running.end();
    await running.storage.changes.removeExpired(CHANGE_STAMP.at, 1_000);
    running.clock.advance(5_000);
    running.running = running.another(running.storage);
    await eventually(statuses, (found) => found[0] === '1 failed');
    expect(await deliveries()).toMatchObject([
      {},
      { error: 'The event was removed from the log before it could be delivered.' },
    ]);
  });

  test('notices that a webhook is removed', async () => {
    await running.webhook();
    await eventuallyIs(() => running.running.report().held, 1);
    await running.storage.webhooks.remove(1n, () => {});
    await eventuallyIs(() => running.running.report().held, 0);
    await eventually(
      async () => (await running.storage.deliveries.snapshot(0)).lease.heartbeat,
      (heartbeat) => heartbeat === 0n,
    );
  });

  test('finishes attempts when it ends, and another one goes on at once', async () => {
    await running.webhook();
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    running.respond = () => promise;
    await add('A');
    await eventually(arrivedIds, ({ length }) => length === 1);
    const ended = running.running.end();
    resolve(OK);
    await ended;
    expect(await statuses()).toEqual(['1 delivered']);
    await add('B');
    running.respond = () => OK;
    running.running = running.another(running.storage);
    await settle(2);
    expect(arrivedIds()).toEqual([1, 2]);
  });
});
