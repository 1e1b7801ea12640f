import {
  type DocumentModel,
  jsonContent,
  nameOf,
  type OperationModel,
  successOf,
} from '../document-model.ts';
import { type ExampleRequest, SAMPLE_FILE } from './example-request.ts';

/** Returns a request as a program that uses the TypeScript client. */
export function clientSample(
  baseUrl: string,
  { path, ids, query, body }: ExampleRequest,
  operation: OperationModel,
  document: DocumentModel,
): string {
  const group = clientGroupOf(path);
  const values = [...ids.map(literal), ...(body ? [bodyLiteral(body)] : [])];
  if (Object.keys(query).length > 0) values.push(literal(query));
  const method = clientMethodName(group, operation.operationId);
  const call = `store.${group.name}.${method}(${values.join(', ')})`;
  const reading =
    body !== undefined && body.value === undefined ? `import { openAsBlob } from 'node:fs';\n` : '';
  return `${reading}import { Petstore } from 'petstore-client';

const store = new Petstore({
  baseUrl: '${baseUrl}',
  apiKey: process.env.PETSTORE_API_KEY,
});
${statement(call, operation, document)}`;
}

function bodyLiteral({ mediaType, value }: NonNullable<ExampleRequest['body']>): string {
  if (value === undefined) {
    return `await openAsBlob(${literal(SAMPLE_FILE)}, { type: ${literal(mediaType)} })`;
  }
  if (typeof value !== 'string') return literal(value);
  return `new Blob([${literal(value)}], { type: ${literal(mediaType)} })`;
}

/** Returns the statement with a call, which names what the call returns. */
function statement(call: string, operation: OperationModel, document: DocumentModel): string {
  const schema = jsonContent(successOf(operation))?.schema;
  if (schema === undefined) return `await ${call};`;
  const { items } = document.components.schemas[nameOf(schema.$ref ?? '')] ?? schema;
  const type = nameOf((items ?? schema).$ref ?? 'Result');
  // A variable cannot have the name `import`.
  const name = type === 'Import' ? 'result' : type.replace(/^./, (c) => c.toLowerCase());
  if (isPagedList(operation.parameters)) {
    return `for await (const ${name} of ${call}) {\n  console.log(${name});\n}`;
  }
  return `const ${items ? `${name}s` : name} = await ${call};`;
}

/** A group of operations in the TypeScript client: `store.pets`. */
export interface ClientGroup {
  readonly name: string;
  /** The record as operation ids name it: `Pet` in `listPets`. */
  readonly record: string;
  /** Its plural, if that is irregular. */
  readonly plural?: string;
}

/** The groups, by the first part of a path without `/store`. */
export const CLIENT_GROUPS: readonly ClientGroup[] = [
  { name: 'pets', record: 'Pet' },
  { name: 'animals', record: 'Animal' },
  { name: 'reports', record: 'StayReport' },
  { name: 'categories', record: 'Category' },
  { name: 'listings', record: 'Listing' },
  { name: 'imports', record: 'Import' },
  { name: 'orders', record: 'Order' },
  { name: 'work', record: 'Work' },
  { name: 'enquiries', record: 'Enquiry' },
  { name: 'alerts', record: 'Alert' },
  { name: 'channels', record: 'Channel' },
  { name: 'shop', record: 'Shop' },
  { name: 'events', record: 'Event' },
  { name: 'webhooks', record: 'Webhook' },
  { name: 'keys', record: 'Key' },
  { name: 'people', record: 'Person', plural: 'People' },
  { name: 'staff', record: 'Staff', plural: 'Staff' },
  { name: 'audit', record: 'Audit' },
  { name: 'tasks', record: 'Tasks' },
  { name: 'usage', record: 'Usage' },
  { name: 'stats', record: 'Stats' },
];

/** Returns the group of the operations at a path. Throws if it has none. */
export function clientGroupOf(path: string): ClientGroup {
  const [, first] = /^(?:\/store)?\/([a-z]+)/.exec(path) ?? [];
  const group = CLIENT_GROUPS.find(({ name }) => name === first);
  if (group === undefined) throw new Error(`no group of the client has the path ${path}`);
  return group;
}

/** Returns the name of a method: the verb of its operation, or what it reads of a record. */
export function clientMethodName({ record, ...group }: ClientGroup, operationId: string): string {
  const [, verb = '', rest = ''] = /^([a-z]+)(.*)$/.exec(operationId) ?? [];
  const plural = group.plural ?? `${record.replace(/(?<![aeiou])y$/, 'ie')}s`;
  const object = rest.replace(new RegExp(`^(?:${record}|${plural})(?![a-z])`), '');
  if (object === '') return verb;
  return ['list', 'get'].includes(verb) ? object.toLowerCase() : verb + object;
}

/** Returns whether the method returns a list that is read page by page, from its parameters. */
export function isPagedList(parameters: readonly { readonly name?: string }[] = []): boolean {
  return parameters.some(({ name }) => name === 'cursor' || name === 'after');
}

/** The longest literal on one line. */
const LINE_MAX = 60;

/** Returns a value of JSON, in which integers may be `bigint`, as TypeScript. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? `${value}` : `${value}n`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  const fields = Object.entries(value).map(([name, field]) => `${key(name)}: ${literal(field)}`);
  const line = `{ ${fields.join(', ')} }`;
  if (line.length <= LINE_MAX) return line;
  return `{\n${fields.map((field) => `  ${field.replaceAll('\n', '\n  ')},`).join('\n')}\n}`;
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`;
}

function key(name: string): string {
  return /^[a-zA-Z_]\w*$/.test(name) ? name : quoted(name);
}
