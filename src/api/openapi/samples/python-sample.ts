import { type ExampleRequest, SAMPLE_FILE } from './example-request.ts';

/** The groups of the Python client, by the path of their records. */
const GROUPS: Readonly<Record<string, string>> = {
  '/pets': 'pets',
  '/animals': 'animals',
  '/listings': 'listings',
  '/categories': 'categories',
  '/store/orders': 'orders',
  '/enquiries': 'enquiries',
  '/imports': 'imports',
  '/keys': 'keys',
  '/people': 'people',
  '/webhooks': 'webhooks',
  '/channels': 'channels',
  '/audit': 'audit',
};
const METHODS: Readonly<Record<string, string>> = { GET: 'get', PATCH: 'update', DELETE: 'delete' };

/** Returns a request as a program that uses the Python client. */
export function pythonSample(baseUrl: string, request: ExampleRequest): string {
  return `import os

from petstore_client import Petstore

store = Petstore(base_url=${python(baseUrl)}, api_key=os.environ["PETSTORE_API_KEY"])
${statement(request)}`;
}

function statement({ method, path, ids, query, body }: ExampleRequest): string {
  const collection = path.replace(/\/\{\w+\}$/, '');
  const group = GROUPS[collection];
  const isRecord = collection !== path;
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${python(value)}`);
  const sent = body && [bodyOf(body)];
  if (path === '/pets/{petId}/photos' && sent) {
    const call = `store.pets.add_photo(${[...ids.map(python), ...sent, ...parameters].join(', ')})`;
    return `photo = ${call}\nprint(photo)`;
  }
  if (group !== undefined && isRecord && METHODS[method] !== undefined) {
    const call = `store.${group}.${METHODS[method]}(${[...ids.map(python), ...(sent ?? [])].join(', ')})`;
    return method === 'DELETE' ? call : `print(${call})`;
  }
  if (group !== undefined && method === 'GET') {
    return `for record in store.${group}.list(${parameters.join(', ')}):\n    print(record)`;
  }
  if (group !== undefined && method === 'POST' && sent && body?.mediaType === 'application/json') {
    return `print(store.${group}.create(${sent}))`;
  }
  const values = ids.values();
  const target = path.replace(/\{\w+\}/g, () => String(values.next().value));
  const inPath = [python(method), python(target), ...(sent ?? []), ...parameters];
  return `print(store.request(${inPath.join(', ')}))`;
}

function bodyOf({ value }: NonNullable<ExampleRequest['body']>): string {
  if (value === undefined) return `open(${python(SAMPLE_FILE)}, "rb").read()`;
  return typeof value === 'string' ? `b${python(value)}` : python(value);
}

/** Returns a value of JSON, in which integers may be `bigint`, as Python. */
export function python(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  const pairs = Object.entries(value).map(([name, one]) => `${python(name)}: ${python(one)}`);
  return `{${pairs.join(', ')}}`;
}
