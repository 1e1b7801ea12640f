import { expect, setDefaultTimeout, test } from 'bun:test';
import { HOUR_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { startReceiver } from '../mail/receiver.ts';
import { textOf } from '../mail/sending.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { addListed } from '../support/enquiries.ts';
import { eventually, eventuallyIs } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { addPerson } from '../support/people.ts';
import { scrape } from '../support/scrape.ts';
import { startPetstore } from '../support/start.ts';

setDefaultTimeout(60_000);

test('staff are told once of a channel that gets no file, each in their language, and in metrics', async () => {
  await using receiver = await startReceiver();
  await using petstore = await startPetstore({
    settings: {
      PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
      PETSTORE_WEBHOOK_SCHEDULE: '10s',
      PETSTORE_SMTP: receiver.url,
      PETSTORE_NOTIFY: 'staff@shop.example,kim@shop.example',
    },
  });
  const { admin, clock, storage } = petstore;
  const kim = await addPerson(petstore, { email: 'kim@shop.example' });
  const chosen = { language: 'de' } as const;
  await storage.people.update(BigInt(kim.id), CHANGE_STAMP, (now) => ({ ...now, ...chosen }));
  const body = { kind: 'csv', address: `ftp://127.0.0.1:${freePort()}/in`, every: '1h' };
  const { id } = JSON.parse((await admin.post('/v1/channels', body)).text);
  const path = `/v1/channels/${id}`;
  const channel = async () => JSON.parse((await admin.get(path)).text);
  const metric = async () => {
    const samples = (await scrape(petstore.metricsUrl)).get('petstore_channel_failures')?.samples;
    return samples?.get(`petstore_channel_failures{channel="${id}",kind="csv"}`);
  };
  await eventually(metric, (value) => value === 0);

  // An empty file is held back, which does not pass by itself.
  clock.advance(HOUR_MS);
  await eventually(channel, ({ failures }) => failures === 1);
  await eventuallyIs(() => receiver.mails.length, 2);
  expect(receiver.mails[0]?.raw).toContain('was not sent');
  expect(receiver.mails[0]?.raw).toContain('has no animals');
  expect(receiver.mails[0]?.raw).toContain('/console/channels?channel=');
  expect(receiver.mails[1]?.to).toEqual(['kim@shop.example']);
  expect(textOf(receiver.mails[1]?.raw ?? '')).toMatch(
    /Sie hat keine Tiere\.\s+Sehen Sie nach, was zu tun ist/,
  );
  await eventually(metric, (value) => value === 1);

  // Later failures of the same kind are not told again, until a file was sent.
  await addListed(storage);
  await admin.post(`${path}/send?anyway=true`, undefined);
  await eventually(channel, ({ failures }) => failures === 2);
  clock.advance(10 * SECOND_MS);
  await eventually(channel, ({ failures }) => failures === 3);
  expect(receiver.mails).toHaveLength(2);
  await admin.patch(path, { status: 'disabled' });
  await eventually(metric, (value) => value === -1);
});
