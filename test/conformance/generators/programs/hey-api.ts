// Uses what @hey-api/openapi-ts makes. Prints what works, as columns of the guide.
import { addExactly, baseUrl, facts, key, LARGEST, NOBODY, photo } from './facts';
import {
  addPhoto,
  createPet,
  getPet,
  listEvents,
  listPets,
  placeOrder,
  updateOrder,
} from './petstore';
import { client } from './petstore/client.gen';

client.setConfig({ baseUrl, auth: key, throwOnError: true });

const { data: pet, error } = await createPet({ body: { name: 'Willow', categoryId: 3 } });
if (pet === undefined) throw new Error(JSON.stringify(error));
facts.created(pet.status);

const other = await addExactly();
const { data: listed = [] } = await listPets({ query: { id: [pet.id, other] } });
facts.ids(listed.map(({ id }) => id));
facts.int64(listed.at(-1)?.categoryId);
const body = { name: 'Largest', categoryId: Number(LARGEST) };
facts.int64Sent((await createPet({ body, throwOnError: false })).response?.status ?? 0);

const { data: order } = await placeOrder({ body: { petId: pet.id, adopter: 'Jordan' } });
const path = { orderId: order?.id ?? 0 };
facts.erased((await updateOrder({ path, body: { adopter: null } })).data);

const { data: events = [] } = await listEvents({ query: { after: 0 } });
const { data: none = [] } = await listEvents({ query: { after: 'latest' } });
facts.after(events.length, none.length);
facts.narrowed(events.flatMap((e) => (e.type === 'pet.created' ? [e.data.name] : [])));

const added = await addPhoto({ path: { petId: pet.id }, body: await photo() });
facts.uploaded(added.data?.width);
const missing = await getPet({ path: { petId: NOBODY }, throwOnError: false });
facts.refused(missing.error?.code);
