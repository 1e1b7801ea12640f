import { afterAll, beforeAll, expect, test } from 'bun:test';
import { operations } from '../../src/api/resources/operations.ts';
import { readAddress } from '../../src/channels/address.ts';
import { Channels } from '../../src/channels/channels.ts';
import { type Channel, tooManyChannels } from '../../src/domain/channel.ts';
import { unavailable } from '../../src/domain/failure.ts';
import { startChannels } from '../../src/server/channels.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { createSecretCipher } from '../../src/webhooks/secrets.ts';
import { openSubject, type Subject } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventuallyIs } from '../support/eventually.ts';

let subject: Subject;
let channel: Channel;
let makeFile: () => Promise<never>;
let channels: Channels;
beforeAll(async () => {
  subject = await openSubject(chosenEngine());
  const { channels: storage } = subject.storage;
  const { at } = CHANGE_STAMP;
  channel = await storage.create(
    {
      ...{ kind: 'csv', address: 'ftp://127.0.0.1:1/', accountId: null, photosAs: 'addresses' },
      ...{ everyMs: 1_000, nextAt: at, createdAt: at },
    },
    () => null,
  );
  channels = new Channels({
    ...{ storage, clock: { now: () => at }, cipher: createSecretCipher([]), waitsMs: [] },
    makeFile: () => makeFile(),
    addressesOf: async () => ['127.0.0.1'],
    readPhoto: async () => undefined,
    tell: async () => true,
    log: { info() {} },
  });
});
afterAll(() => subject[Symbol.asyncDispose]());

test('the task of a removed channel is forgotten, although the database was away at first', async () => {
  const removed: string[] = [];
  let calls = 0;
  const remove = async (name: string) => {
    if (calls++ === 0) throw unavailable(new Error('away'));
    removed.push(name);
  };
  const [clock, photos] = [{ now: () => CHANGE_STAMP.at }, { read: async () => undefined }];
  const parts = { storage: subject.storage, clock, photos, log: openLog('silent') };
  const others = { fence: { isFenced: () => false }, base: Promise.resolve('http://a.example/v1') };
  await using opened = new AsyncDisposableStack();
  const scheduler = { add() {}, remove };
  const running = startChannels(readConfig({}, {}), { ...parts, ...others, scheduler }, opened);
  await eventuallyIs(() => running.report().length, 1);
  await subject.storage.channels.remove(channel.id, () => {});
  const look = () => {
    running.changed();
    return removed.join();
  };
  await eventuallyIs(look, `channel ${channel.id}`);
});

test('a fifth test at once is refused; those that fail make room', async () => {
  const waiting = Promise.withResolvers<never>();
  makeFile = () => waiting.promise;
  const first = Array.from({ length: 4 }, () => channels.test(channel, 0));
  const outcomes = Promise.allSettled(first);
  await expect(channels.test(channel, 0)).rejects.toThrow('Too many channels are tested');
  waiting.reject(tooManyChannels());
  expect((await outcomes).map(({ status }) => status)).toEqual(first.map(() => 'rejected'));
  for (let n = 0; n < 5; n++) {
    await expect(channels.test(channel, 0)).rejects.toThrow(tooManyChannels().message);
  }
});

test.each([
  ['sftp://partner.example/a:443/b', { port: 22, folder: '/a:443/b' }],
  ['ftps://partner.example:443/a', { port: 443, folder: '/a' }],
  ['ftps://user:word@partner.example/', expect.stringContaining('not contain the password')],
  ['ftp://user%0d%0aDELE%20x@partner.example/', 'must not contain control characters'],
  ['sftp://partner.example/a%00b', 'must not contain control characters'],
])('of %s everything is read', (address, expected) => {
  expect([readAddress(address)]).toMatchObject([expected]);
});

test('a test without a place is refused before its Idempotency-Key is used', async () => {
  makeFile = () => new Promise(() => {});
  for (let n = 0; n < 4; n++) void channels.test(channel, 0);
  const operation = operations.find(({ id }) => id === 'testChannel');
  const input = { path: [`${channel.id}`], query: new Map() } as never;
  const storage = { channels: { find: async () => channel } };
  const prepared = operation?.prepare?.(input, { channels, storage } as never);
  await expect(prepared ?? Promise.resolve()).rejects.toThrow('Too many channels are tested');
});
