// Makes tools for a language model of the small document, and works through them as a model would.
import { HttpLlm } from '@samchon/openapi';

declare const process: { readonly env: Readonly<Record<string, string>> };
const { PETSTORE_URL = '', PETSTORE_KEY: key = '' } = process.env;
const document = await (await fetch(PETSTORE_URL.replace('/v1', '/openapi-small.json'))).json();
const application = HttpLlm.application({ document });
const connection = { host: PETSTORE_URL, headers: { Authorization: `Bearer ${key}` } };

/** Uses the tool of an operation. Returns the body of the response, which must have this status. */
async function use(method: string, path: string, status: number, input: object): Promise<unknown> {
  const tool = application.functions.find((it) => it.method === method && it.path === path);
  if (tool === undefined) throw new Error(`there is no tool for ${method} ${path}`);
  const answer = await HttpLlm.propagate({ application, function: tool, connection, input });
  if (answer.status === status) return answer.body;
  throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

// Models see no photo, so that one has no tool. A file of animals may be JSON.
const without = application.errors.map(({ method, path }) => `${method} ${path}`).sort();
if (without.join() !== 'post /pets/{petId}/photos') {
  throw new Error(`no tools for ${without}`);
}

const body = { name: 'Willow', categoryId: 3 };
const { id: petId } = (await use('post', '/pets', 201, { body })) as { id: number };
const profile = { species: 'cat', energy: 'low', published: true };
await use('patch', '/pets/{petId}/profile', 200, { petId, body: profile });
const calm = await use('get', '/listings', 200, { query: { species: ['cat'], q: 'willow' } });
if (JSON.stringify(calm).includes('"energy":"low"') === false) throw new Error('found no cat');
const order = { petId, adopter: 'Jordan Ellis' };
const { id: orderId } = (await use('post', '/store/orders', 201, { body: order })) as {
  id: number;
};
await use('post', '/store/orders', 409, { body: order });
await use('patch', '/store/orders/{orderId}', 200, { orderId, body: { status: 'approved' } });

const lists = application.functions.filter(
  ({ method, path }) => method === 'get' && !/\{/.test(path),
);
for (const { path, parameters } of lists) {
  await use('get', path, 200, 'query' in parameters.properties ? { query: {} } : {});
}
const size = JSON.stringify(document).length;
console.log(`${application.functions.length} tools of ${size} bytes, ${lists.length + 6} calls`);
