import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { WebhookOutcome } from '../../../src/changes/webhooks/sender.ts';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { anyState } from '../../storage/subject.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { engines } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { type Delivering, ERROR, OK, startDelivering } from './delivering.ts';

// Databases are started, on a machine that may be busy.
setDefaultTimeout(120_000);

describe.each([...engines])('with $name, a deliverer', (engine) => {
  let delivering: Delivering;
  beforeEach(async () => {
    delivering = await startDelivering(engine);
  });
  afterEach(() => delivering[Symbol.asyncDispose]());

  const deliveries = async (id = 1n) =>
    (await delivering.storage.webhooks.deliveries(id, { afterId: undefined, limit: 100 })).items;
  const statuses = async (id?: bigint) =>
    (await deliveries(id)).map(({ eventId, status }) => `${eventId} ${status}`).toReversed();
  const arrivedIds = (webhookId = 1n) =>
    delivering.arrived.filter((each) => each.webhookId === webhookId).map(({ id }) => Number(id));
  const add = async (name: string) =>
    (await delivering.storage.categories.create(name, CHANGE_STAMP)).id;
  const rename = async (id: bigint, name: string) =>
    await delivering.storage.categories.rename(id, name, CHANGE_STAMP, anyState);
  const settle = (count: number, id?: bigint) =>
    eventually(
      () => deliveries(id),
      (items) => items.filter(({ status }) => status !== 'pending').length === count,
    );
  const fail = (...ids: number[]) => {
    delivering.respond = ({ id }) => (ids.includes(Number(id)) ? ERROR : OK);
  };

  test('delivers what happens after the webhook was created, once, and logs it', async () => {
    await add('before');
    await delivering.storage.optimize();
    await delivering.webhook();
    for (const name of ['A', 'B', 'C']) await add(name);
    await settle(3);
    expect(arrivedIds().toSorted()).toEqual([2, 3, 4]);
    expect(await deliveries()).toMatchObject([
      { eventId: 4n, status: 'delivered', attempts: 1, responseStatus: 200, error: null },
      { eventId: 3n, status: 'delivered' },
      { eventId: 2n, type: 'category.created', deliveredAt: delivering.clock.now() },
    ]);
    expect(await delivering.storage.webhooks.find(1n)).toMatchObject({
      lastSuccessAt: delivering.clock.now(),
    });
    expect(delivering.deliverer.report()).toMatchObject({ queued: 0, attempts: { delivered: 3 } });
  });

  test('sends only the types that are wanted', async () => {
    await delivering.webhook(['category.updated']);
    const id = await add('A');
    await rename(id, 'B');
    await add('C');
    await settle(1);
    expect(arrivedIds()).toEqual([2]);
  });

  test('tries again on schedule, and keeps later events of the record waiting, not others', async () => {
    await delivering.webhook();
    fail(1);
    const first = await add('A');
    await rename(first, 'A2');
    await add('B');
    await eventually(statuses, (found) => found.length === 3);
    expect(await statuses()).toEqual(['1 pending', '2 pending', '3 delivered']);
    const [, second, waiting] = await deliveries();
    const due = delivering.clock.now() + 5_000;
    expect(waiting).toMatchObject({ attempts: 1, nextAttemptAt: due, responseBody: 'no' });
    expect(second).toMatchObject({ attempts: 0, nextAttemptAt: null });
    fail();
    delivering.clock.advance(5_000);
    await settle(3);
    expect(arrivedIds()).toEqual([1, 3, 1, 2]);
  });

  test('gives up after the last attempt, and goes on with the next event of the record', async () => {
    await delivering.webhook();
    fail(1);
    const first = await add('A');
    await rename(first, 'A2');
    for (const attempts of [1, 2]) {
      await eventually(deliveries, (found) => found.at(-1)?.attempts === attempts);
      delivering.clock.advance(60_000);
    }
    await settle(2);
    expect(await statuses()).toEqual(['1 failed', '2 delivered']);
    expect((await deliveries()).at(-1)).toMatchObject({
      ...{ attempts: 3, error: 'The receiver responded with 500.', responseStatus: 500 },
      nextAttemptAt: null,
    });
  });

  test('sends a reset after all earlier events, and before all later ones', async () => {
    await delivering.webhook();
    fail(1);
    await add('A');
    await add('B');
    await delivering.storage.reset(CHANGE_STAMP);
    await add('C');
    await eventually(statuses, (found) => found.length === 4);
    expect(await statuses()).toEqual(['1 pending', '2 delivered', '3 pending', '4 pending']);
    fail();
    delivering.clock.advance(5_000);
    await settle(4);
    expect(arrivedIds().slice(2)).toEqual([1, 3, 4]);
  });

  test.each([429, 503])('honours the Retry-After of %d', async (status) => {
    await delivering.webhook();
    const limited: WebhookOutcome = { status, retryAfter: '7200', body: '', milliseconds: 1 };
    delivering.respond = () => limited;
    await add('A');
    await eventually(deliveries, (found) => found.length === 1);
    const nextAttemptAt = delivering.clock.now() + 7_200_000;
    expect(await deliveries()).toMatchObject([{ nextAttemptAt }]);
  });

  test('disables an endpoint that is gone at once, and starts again where it stopped', async () => {
    await delivering.webhook();
    delivering.respond = () => ({ status: 410, body: '', milliseconds: 1 });
    await add('A');
    const { webhooks } = delivering.storage;
    await eventually(
      () => webhooks.find(1n),
      (found) => found?.disabledReason === 'gone',
    );
    await add('B');
    fail();
    expect(delivering.warnings).toEqual([
      'a webhook was disabled {"webhookId":"1","reason":"gone"}',
    ]);
    await webhooks.update(1n, (current) => ({ ...current, disabledReason: null }));
    await settle(2);
    expect(await statuses()).toEqual(['1 failed', '2 delivered']);
  });

  test('ignores what a receiver says after the webhook has got another URL', async () => {
    await delivering.webhook();
    // After a success there may be two attempts at once.
    await add('A');
    await settle(1);
    const late = Promise.withResolvers<WebhookOutcome>();
    delivering.respond = ({ id, url }) =>
      id === '2' && url.includes('partner') ? late.promise : OK;
    await add('B');
    await eventually(arrivedIds, (ids) => ids.length === 2);
    const { webhooks } = delivering.storage;
    await webhooks.update(1n, (current) => ({ ...current, url: 'https://other.example/events' }));
    await eventually(
      async () => {
        await add(crypto.randomUUID());
        return delivering.arrived.at(-1)?.url;
      },
      (url) => url === 'https://other.example/events',
    );
    late.resolve({ status: 410, body: '', milliseconds: 1 });
    await eventually(
      () => delivering.arrived.filter(({ id }) => id === '2').map(({ url }) => url),
      (urls) => urls.length === 2,
    );
    await eventually(statuses, (found) => found.includes('2 delivered'));
    expect(await webhooks.find(1n)).toMatchObject({ disabledReason: null });
  });

  test('disables an endpoint without a success for five days', async () => {
    await delivering.webhook();
    delivering.respond = () => ERROR;
    await add('A');
    await eventually(deliveries, (found) => found[0]?.attempts === 1);
    delivering.clock.advance(5 * DAY_MS);
    const find = () => delivering.storage.webhooks.find(1n);
    expect(await eventually(find, (found) => found?.disabledReason !== null)).toMatchObject({
      disabledReason: 'failing',
    });
  });

  test('is not held up by an endpoint that hangs', async () => {
    const [hanging, healthy] = [await delivering.webhook(), await delivering.webhook()];
    delivering.respond = ({ webhookId }) => (webhookId === hanging.id ? new Promise(() => {}) : OK);
    for (let n = 0; n < 50; n++) await add(`A${n}`);
    await settle(50, healthy.id);
    // An endpoint that has never responded gets one event at a time.
    expect(arrivedIds(hanging.id)).toHaveLength(1);
    expect(delivering.deliverer.report()).toMatchObject({ sending: 1 });
  });

  test('stops reading for an endpoint that is down, and catches up as soon as it works', async () => {
    await delivering.webhook();
    delivering.respond = () => ERROR;
    for (let n = 0; n < 400; n++) await add(`A${n}`);
    const { deliverer, arrived } = delivering;
    await eventually(deliverer.report, ({ sending, queued, attempts }) => {
      return sending === 0 && queued > 0 && queued === attempts.rejected;
    });
    expect(arrived.length).toBeLessThan(300);
    fail();
    delivering.clock.advance(5_000);
    await eventually(deliverer.report, ({ attempts }) => attempts.delivered === 400);
    expect(new Set(arrivedIds()).size).toBe(400);
  });

  test('reads on for an endpoint that is down once all its deliveries have failed', async () => {
    await delivering.webhook();
    delivering.respond = () => ERROR;
    for (let n = 0; n < 30; n++) await add(`A${n}`);
    const rejected = (count: number) =>
      eventually(delivering.deliverer.report, ({ queued, sending, attempts }) => {
        return attempts.rejected === count && sending === 0 && queued <= 30;
      });
    await rejected(30);
    delivering.clock.advance(5_000);
    await rejected(60);
    delivering.clock.advance(60_000);
    await eventually(delivering.deliverer.report, ({ queued }) => queued === 0);
    fail();
    await add('B');
    await eventually(delivering.deliverer.report, ({ attempts }) => attempts.delivered === 1);
  });

  test('makes a delivery again when asked to', async () => {
    await delivering.webhook();
    await add('A');
    await settle(1);
    await delivering.storage.webhooks.retry(1n, 1n, delivering.clock.now());
    await eventually(deliveries, (found) => found[0]?.attempts === 2);
    expect(arrivedIds()).toEqual([1, 1]);
  });

  test('gives up an event that was removed from the log', async () => {
    await delivering.webhook();
    fail(1);
    await add('A');
    await add('B');
    await settle(1);
    await delivering.deliverer.end();
    await delivering.storage.changes.removeExpired(CHANGE_STAMP.at, 1_000);
    delivering.clock.advance(5_000);
    delivering.deliverer = delivering.another(delivering.storage);
    await eventually(statuses, (found) => found[0] === '1 failed');
    expect(await deliveries()).toMatchObject([
      {},
      { error: 'The event was removed from the log before it could be delivered.' },
    ]);
  });

  test('notices that a webhook is removed', async () => {
    await delivering.webhook();
    await eventually(
      () => delivering.deliverer.report().held,
      (count) => count === 1,
    );
    await delivering.storage.webhooks.remove(1n, () => {});
    await eventually(
      () => delivering.deliverer.report().held,
      (count) => count === 0,
    );
    await eventually(
      async () => (await delivering.storage.deliveries.survey()).deliverers,
      ({ length }) => length === 0,
    );
  });

  test('finishes attempts when it ends, and another one goes on at once', async () => {
    await delivering.webhook();
    const { promise, resolve } = Promise.withResolvers<WebhookOutcome>();
    delivering.respond = () => promise;
    await add('A');
    await eventually(arrivedIds, ({ length }) => length === 1);
    const ended = delivering.deliverer.end();
    resolve(OK);
    await ended;
    expect(await statuses()).toEqual(['1 delivered']);
    await add('B');
    delivering.respond = () => OK;
    delivering.deliverer = delivering.another(delivering.storage);
    await settle(2);
    expect(arrivedIds()).toEqual([1, 2]);
  });
});
