// Uses what openapi-generator makes for typescript-fetch. Prints what works, as columns of the guide.
import { addExactly, baseUrl, facts, key, LARGEST, NOBODY, photo } from './facts';
import {
  AnimalsApi,
  Configuration,
  EventsApi,
  OrdersApi,
  PhotosApi,
  ResponseError,
} from './petstore';

const configuration = new Configuration({ basePath: baseUrl, accessToken: key });
const animals = new AnimalsApi(configuration);
const events = new EventsApi(configuration);
const orders = new OrdersApi(configuration);

const pet = await animals.createPet({ newPet: { name: 'Willow', categoryId: 3 } });
facts.created(pet.status);

const other = await addExactly();
const listed = await animals.listPets({ id: [pet.id, other] });
facts.ids(listed.map(({ id }) => id));
facts.int64(listed.at(-1)?.categoryId);
const newPet = { name: 'Largest', categoryId: Number(LARGEST) };
const status = await animals.createPet({ newPet }).then(
  () => 201,
  (error: unknown) => (error instanceof ResponseError ? error.response.status : 0),
);
facts.int64Sent(status);

const order = await orders.placeOrder({ newOrder: { petId: pet.id, adopter: 'Jordan' } });
const change = { orderId: order.id, orderChange: { adopter: null } };
facts.erased(await orders.updateOrder(change));

const all = await events.listEvents({ after: 0 });
const none = await events.listEvents({ after: 'latest' });
facts.after(all.length, none.length);
facts.narrowed(all.flatMap((e) => (e.type === 'pet.created' ? [e.data.name] : [])));

const photos = new PhotosApi(configuration);
facts.uploaded((await photos.addPhoto({ petId: pet.id, body: await photo() })).width);
const code = await animals.getPet({ petId: NOBODY }).then(
  () => undefined,
  async (reason: unknown) =>
    reason instanceof ResponseError ? (await reason.response.json()).code : undefined,
);
facts.refused(code);
