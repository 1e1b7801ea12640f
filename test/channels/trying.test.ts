import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Channels } from '../../src/channels/channels.ts';
import { type Channel, tooManyChannels } from '../../src/domain/channel.ts';
import { createSecretCipher } from '../../src/webhooks/secrets.ts';
import { openSubject, type Subject } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { chosenEngine } from '../support/engines.ts';

/* Channels are tested a few at a time, whatever happens in a test. */

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
