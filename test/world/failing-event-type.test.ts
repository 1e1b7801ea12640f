import { expect, setDefaultTimeout, test } from 'bun:test';
import { CHANGE_TYPES, type ChangeType } from '../../src/domain/change-log.ts';
import { addAnimal, addPhoto, sendPhoto } from '../photos/adding.ts';
import { idOf } from '../support/animals.ts';
import { addEnquiry, addListed } from '../support/enquiries.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { startReceiver } from '../webhooks/receivers.ts';

// The first may have to start a database server.
setDefaultTimeout(60_000);

const SETTINGS = { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8', PETSTORE_WEBHOOK_SCHEDULE: '1h' };
type CausedType = Exclude<ChangeType, 'store.reset'>;
type Cause = () => Promise<unknown>;

/** Prepares records of their own for an event of each type. Each function returned causes one. */
async function causes(
  { writer, admin, storage }: TestPetstore,
  round: number,
): Promise<Record<CausedType, Cause>> {
  const file = await picture(40, 30);
  const pet = async () => `/v1/pets/${await addAnimal(writer)}`;
  const photo = async () => {
    const petId = await addAnimal(writer);
    return `/v1/pets/${petId}/photos/${(await addPhoto(writer, petId, file)).id}`;
  };
  const category = async (name: string) =>
    `/v1/categories/${idOf(await writer.post('/v1/categories', { name: `${name} ${round}` }))}`;
  const order = async () => ({ petId: Number(await addAnimal(writer)) });
  const removed = await pet();
  await writer.delete(removed);
  const [changed, gone, profiled] = [await pet(), await pet(), await pet()];
  const [photographed, shown, hidden] = [await addAnimal(writer), await photo(), await photo()];
  const [renamed, closed] = [await category('Dogs'), await category('Cats')];
  const wanted = await order();
  const placed = idOf(await writer.post('/v1/store/orders', await order()));
  const [left, back] = [await pet(), await pet()];
  await writer.patch(back, { status: 'sold' });
  const enquiry = await addEnquiry(storage);
  const asked = await addListed(storage);
  return {
    'pet.created': pet,
    'pet.updated': () => writer.patch(changed, { name: 'Max' }),
    'pet.deleted': () => writer.delete(gone),
    'pet.restored': () => writer.post(`${removed}/restore`, {}),
    'category.created': () => category('Birds'),
    'category.updated': () => writer.patch(renamed, { name: `Hounds ${round}` }),
    'category.deleted': () => writer.delete(closed),
    'order.placed': () => writer.post('/v1/store/orders', wanted),
    'order.updated': () => writer.patch(`/v1/store/orders/${placed}`, { status: 'approved' }),
    'profile.updated': () => writer.patch(`${profiled}/profile`, { species: 'dog' }),
    'photo.added': () => sendPhoto(writer, photographed, file),
    'photo.updated': () => writer.patch(shown, { alt: 'A dog' }),
    'photo.removed': () => writer.delete(hidden),
    'stay.started': () => writer.patch(back, { status: 'available' }),
    'stay.ended': () => writer.patch(left, { status: 'sold' }),
    'shop.updated': () => admin.patch('/v1/shop', { name: `Paws ${round}` }),
    'enquiry.received': () => addEnquiry(storage, { petId: asked }),
    'enquiry.updated': () => writer.patch(`/v1/enquiries/${enquiry}`, { status: 'answered' }),
  };
}

test('a receiver that refuses one type of event gets the events of all other records', async () => {
  await using petstore = await startPetstore({ settings: SETTINGS });
  const first = await causes(petstore, 1);
  const second = await causes(petstore, 2);
  const types = CHANGE_TYPES.filter((type): type is CausedType => type !== 'store.reset');
  await using receiver = await startReceiver('127.0.0.1', ({ url, headers }, response) => {
    const { body = '' } =
      receiver.requests.find((each) => each.path === url && each.headers === headers) ?? {};
    response.statusCode = body.includes(`"type":"${url?.slice(1)}"`) ? 500 : 200;
    response.end();
  });
  for (const type of types) {
    const url = `http://127.0.0.1:${receiver.port}/${type}`;
    expect(await petstore.admin.post('/v1/webhooks', { url })).toMatchObject({ status: 201 });
  }
  const idsOf = (type: string) =>
    receiver.requests
      .filter(({ path }) => path === `/${type}`)
      .map(({ headers }) => Number(headers['webhook-id']));
  const received = () => types.map(idsOf);
  // The last type is of the last change. On PostgreSQL its event may come a little later.
  const eventsAfter = (after: number) =>
    eventually<{ id: number; type: string }[]>(
      async () =>
        JSON.parse((await petstore.admin.get(`/v1/events?after=${after}&limit=100`)).text),
      (all) => all.at(-1)?.type === types.at(-1),
    );

  const { text } = await petstore.admin.get('/v1/events?limit=100');
  const start = JSON.parse(text).at(-1).id;
  for (const type of types) await first[type]();
  const refused = await eventsAfter(start);
  await eventually(received, (all) => all.every(({ length }) => length >= refused.length));
  for (const type of types) await second[type]();
  const events = await eventsAfter(refused.at(-1)?.id ?? 0);
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(types));
  // There is one shop: its second event waits for the one that was refused.
  const waiting = events.filter(({ type }) => type === 'shop.updated');
  const expected = types.map((failing) =>
    [...refused, ...events]
      .filter((event) => failing !== 'shop.updated' || !waiting.includes(event))
      .map(({ id }) => id),
  );
  const sorted = (all: number[][]) => all.map((ids) => ids.toSorted((a, b) => a - b));
  const found = await eventually(received, (all) =>
    all.every(({ length }, n) => length >= (expected[n]?.length ?? 0)),
  ).catch(received);
  expect(sorted(found)).toEqual(expected);
});
