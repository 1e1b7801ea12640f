// Uses what openapi-typescript makes, with openapi-fetch. Prints what works, as columns of the guide.
import createClient from 'openapi-fetch';
import { addExactly, baseUrl, facts, key, LARGEST, NOBODY, photo } from './facts';
import type { paths } from './petstore';

const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

const added = await client.POST('/pets', { body: { name: 'Willow', categoryId: 3 } });
const pet = added.data;
if (pet === undefined) throw new Error(JSON.stringify(added.error));
facts.created(pet.status);

const other = await addExactly();
const ids = [pet.id, other];
// openapi-fetch does not know the style of a parameter, so it repeats it, which the service takes too.
const { data: listed = [] } = await client.GET('/pets', { params: { query: { id: ids } } });
facts.ids(listed.map(({ id }) => id));
facts.int64(listed.at(-1)?.categoryId);
const sent = { name: 'Largest', categoryId: Number(LARGEST) };
facts.int64Sent((await client.POST('/pets', { body: sent })).response.status);

const placed = await client.POST('/store/orders', { body: { petId: pet.id, adopter: 'Jordan' } });
const params = { path: { orderId: placed.data?.id ?? 0 } };
const erased = await client.PATCH('/store/orders/{orderId}', { params, body: { adopter: null } });
facts.erased(erased.data);

const { data: events = [] } = await client.GET('/events', { params: { query: { after: 0 } } });
const { data: none = [] } = await client.GET('/events', { params: { query: { after: 'latest' } } });
facts.after(events.length, none.length);
facts.narrowed(events.flatMap((e) => (e.type === 'pet.created' ? [e.data.name] : [])));

const file = await photo();
const { data: shown } = await client.POST('/pets/{petId}/photos', {
  params: { path: { petId: pet.id } },
  // The type of a file in the document is a text, so a serializer of one's own sends the bytes.
  body: '',
  bodySerializer: () => file,
  headers: { 'Content-Type': 'application/octet-stream' },
});
facts.uploaded(shown?.width);
const { error } = await client.GET('/pets/{petId}', { params: { path: { petId: NOBODY } } });
facts.refused(error?.code);
