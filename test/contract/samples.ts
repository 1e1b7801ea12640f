import type { Operation } from '../../src/api/contract/operation.ts';
import { operations } from '../../src/api/resources/operations.ts';
import { type WritableJson, writeJson } from '../../src/http/json.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import { addEnquiry } from '../support/enquiries.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { storageBehind } from '../support/start.ts';
import { parseExactly } from './schema-check.ts';

let pictures = 0;

/** A valid request for an operation. */
export interface Sample {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

/** Sends a sample with some of its parts replaced. */
export function sendSample(
  client: Client,
  sample: Sample,
  instead: Partial<Sample> = {},
): Promise<ClientResponse> {
  const { method, target, headers, body } = { ...sample, ...instead };
  return client.send(method, target, { headers, ...(body !== undefined && { body }) });
}

/**
 * Builds a request from the example in the document, which shows that examples work.
 * The records that the request needs are added first, also from examples.
 */
export async function sampleOf(operation: Operation, client: Client): Promise<Sample> {
  const path = await targetOf(operation.path, client);
  // The shop of a test may have nothing to send.
  const target = operation.id === 'sendChannel' ? `${path}?anyway=true` : path;
  const { method, body, upload } = operation;
  // Only a removed animal can be brought back.
  if (operation.id === 'restorePet') await client.delete(target.replace('/restore', ''));
  if (operation.id === 'returnOrder') {
    const order = target.replace('/return', '');
    for (const status of ['approved', 'completed']) await client.patch(order, { status });
  }
  if (upload !== undefined) {
    const [[mediaType, text] = ['', '']] = Object.entries(upload.examples);
    const file = text ?? (await picture(60, 40, 'jpeg', ++pictures));
    return { method, target, headers: { 'content-type': mediaType }, body: file };
  }
  if (body === undefined) return { method, target, headers: {}, body: undefined };
  const [mediaType = ''] = body.mediaTypes;
  const example = await usable(body.example, client);
  return { method, target, headers: { 'content-type': mediaType }, body: writeJson(example) };
}

/** The path with the id of a record that was added for it. */
async function targetOf(path: string, client: Client): Promise<string> {
  if (path.includes('{deliveryId}')) {
    const [list = '', rest = ''] = path.split('/{deliveryId}');
    const known = deliveries.get(client) ?? addDelivery(list, client);
    deliveries.set(client, known);
    return (await known) + rest;
  }
  if (path.includes('{stayId}')) {
    const stays = await targetOf('/pets/{petId}/stays', client);
    const { id } = JSON.parse((await client.get(stays)).text)[0];
    return `${stays}/${id}`;
  }
  if (path.includes('{photoId}')) {
    const [list = ''] = path.split('/{photoId}');
    const target = await targetOf(list, client);
    return `${target}/${await addOne(list, client, target)}`;
  }
  const [, collection, parameter] = /^(.+?)\/(\{[^{}]+\})/.exec(path) ?? [];
  if (collection === undefined || parameter === undefined) return `/v1${path}`;
  return `/v1${path.replace(parameter, String(await addOne(collection, client)))}`;
}

/** A delivery of each client, for all its samples: it takes a second until there is one. */
const deliveries = new WeakMap<Client, Promise<string>>();

/** Adds the example of a collection's own operation, there or at a target; returns the id. */
async function addOne(collection: string, client: Client, target?: string): Promise<bigint> {
  const storage = storageBehind.get(client);
  if (collection === '/enquiries' && storage) return addEnquiry(storage);
  const adding = operations.find(({ method, path }) => method === 'POST' && path === collection);
  if (adding === undefined) throw new Error(`nothing can be added to ${collection}`);
  const own = await sampleOf(adding, client);
  const sample = target === undefined ? own : { ...own, target };
  // Imports of earlier tests may still wait, and only some may.
  const added = await eventually(
    () => sendSample(client, sample),
    ({ status }) => status !== 503,
  );
  if (added.status !== adding.success.status)
    throw new Error(`the example of ${adding.id} fails: ${added.text}`);
  const { id } = Object(parseExactly(added.text));
  return BigInt(id);
}

/** Adds a webhook and an event, and waits until there is a delivery. Returns its target. */
async function addDelivery(list: string, client: Client): Promise<string> {
  const deliveries = await targetOf(list, client);
  await addOne('/pets', client);
  const { text } = await eventually(
    () => client.get(deliveries),
    (response) => response.text !== '[]',
  );
  return `${deliveries}/${Object(parseExactly(text))[0].id}`;
}

let names = 0;

/** An example that works more than once: with a unique name and an existing animal. */
async function usable(example: WritableJson, client: Client): Promise<WritableJson> {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
  return {
    ...example,
    ...('name' in example && { name: `${example['name']} ${++names}` }),
    ...('email' in example && { email: `${names}.${example['email']}` }),
    ...('petId' in example && { petId: await addOne('/pets', client) }),
  };
}
