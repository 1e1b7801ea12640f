// Uses what orval makes. Prints what works, as columns of the guide.
import { addExactly, facts, LARGEST, NOBODY, photo } from './facts';
import {
  addPhoto,
  createPet,
  getPet,
  listEvents,
  listPets,
  placeOrder,
  updateOrder,
} from './petstore';

const added = await createPet({ name: 'Willow', categoryId: 3 });
if (added.status !== 201) throw new Error(JSON.stringify(added.data));
const pet = added.data;
facts.created(pet.status);

const other = await addExactly();
const listed = await listPets({ id: [pet.id, other] });
const pets = listed.status === 200 ? listed.data : [];
facts.ids(pets.map(({ id }) => id));
facts.int64(pets.at(-1)?.categoryId);
facts.int64Sent((await createPet({ name: 'Largest', categoryId: Number(LARGEST) })).status);

const placed = await placeOrder({ petId: pet.id, adopter: 'Jordan' });
const orderId = placed.status === 201 ? placed.data.id : 0;
const erased = await updateOrder(orderId, { adopter: null });
facts.erased(erased.status === 200 ? erased.data : undefined);

const events = await listEvents({ after: 0 });
const none = await listEvents({ after: 'latest' });
const seen = events.status === 200 ? events.data : [];
facts.after(seen.length, none.status === 200 ? none.data.length : -1);
facts.narrowed(seen.flatMap((e) => (e.type === 'pet.created' ? [e.data.name] : [])));

const shown = await addPhoto(pet.id, await photo());
facts.uploaded(shown.status === 201 ? shown.data.width : undefined);
const missing = await getPet(NOBODY);
facts.refused(missing.status === 404 ? missing.data.code : undefined);
