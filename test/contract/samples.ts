import type { Operation } from '../../src/api/contract/operation.ts';
import { operations } from '../../src/api/resources/operations.ts';
import { type WritableJson, writeJson } from '../../src/http/json.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { parseExactly } from './schema-check.ts';

/** A valid request for an operation. */
export interface Sample {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
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
  let target = `/v1${operation.path}`;
  const [, collection, parameter] = /^(.+?)\/(\{[^{}]+\})/.exec(operation.path) ?? [];
  if (collection !== undefined && parameter !== undefined) {
    target = target.replace(parameter, String(await addOne(collection, client)));
  }
  if (target.includes('{deliveryId}')) {
    const [list = ''] = target.split('/{deliveryId}');
    target = target.replace('{deliveryId}', String(await addDelivery(list, client)));
  }
  const { method, body, upload } = operation;
  if (upload !== undefined) {
    const [[mediaType, file] = ['', '']] = Object.entries(upload.examples);
    return { method, target, headers: { 'content-type': mediaType }, body: file };
  }
  if (body === undefined) return { method, target, headers: {}, body: undefined };
  const [mediaType = ''] = body.mediaTypes;
  const example = await usable(body.example, client);
  return { method, target, headers: { 'content-type': mediaType }, body: writeJson(example) };
}

/** Adds the example of a collection's own operation; returns the id. */
async function addOne(collection: string, client: Client): Promise<bigint> {
  const adding = operations.find(({ method, path }) => method === 'POST' && path === collection);
  if (adding === undefined) throw new Error(`nothing can be added to ${collection}`);
  const added = await sendSample(client, await sampleOf(adding, client));
  if (added.status !== adding.success.status)
    throw new Error(`the example of ${adding.id} fails: ${added.text}`);
  const { id } = Object(parseExactly(added.text));
  return BigInt(id);
}

/** Adds an event, and waits until a webhook has a delivery. Returns its id. */
async function addDelivery(list: string, client: Client): Promise<bigint> {
  await addOne('/pets', client);
  const { text } = await eventually(
    () => client.get(list),
    (response) => response.text !== '[]',
  );
  return BigInt(Object(parseExactly(text))[0].id);
}

let names = 0;

/** An example that works more than once: with a unique name and an existing animal. */
async function usable(example: WritableJson, client: Client): Promise<WritableJson> {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
  return {
    ...example,
    ...('name' in example && { name: `${example['name']} ${++names}` }),
    ...('petId' in example && { petId: await addOne('/pets', client) }),
  };
}
