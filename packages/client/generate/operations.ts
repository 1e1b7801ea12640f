import {
  type Document,
  jsonSchema,
  nameOf,
  type Operation,
  type Parameter,
  type Schema,
} from './document.ts';
import { commentOf, typeOf } from './types.ts';

type Schemas = Readonly<Record<string, Schema>>;

/** A group of the client. */
export interface Group {
  readonly name: string;
  /** The record as operation ids name it: `Pet` in `listPets`. */
  readonly record: string;
  /** Whether a class in `src/` adds methods to the generated ones. */
  readonly extended?: boolean;
}

/** The groups, by the first part of a path without `/store`. */
const GROUPS: readonly Group[] = [
  { name: 'pets', record: 'Pet', extended: true },
  { name: 'categories', record: 'Category' },
  { name: 'orders', record: 'Order' },
  { name: 'events', record: 'Event', extended: true },
  { name: 'webhooks', record: 'Webhook' },
  { name: 'keys', record: 'Key' },
  { name: 'usage', record: 'Usage' },
];

/** An operation where it stands in the document. */
export interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Returns the groups that have operations, with them. */
export function groupsOf({ paths }: Document): readonly (readonly [Group, readonly Placed[]])[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.operationId !== undefined)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return GROUPS.map((group) => {
    const prefix = new RegExp(`^(?:/store)?/${group.name}(?:/|$)`);
    return [group, all.filter(({ path }) => prefix.test(path))] as const;
  }).filter(([, placed]) => placed.length > 0);
}

/** The name of the generated class of a group. */
export function classOf({ record }: Group): string {
  return `${record}Operations`;
}

/** Returns the class of a group. */
export function declareClass(group: Group, placed: readonly Placed[], schemas: Schemas): string {
  const abstract = placed.some(({ operation }) => operation.deprecated) ? 'abstract ' : '';
  const methods = placed.map((one) => declareMethod(group, one, schemas));
  return `/** \`store.${group.name}\`. */\nexport ${abstract}class ${classOf(group)} extends Group {
${methods.join('\n\n')}\n}`;
}

/** The name of a method: the verb of its operation, or what it reads of a record. */
export function methodName({ record }: Group, operationId: string): string {
  const [, verb = '', rest = ''] = /^([a-z]+)(.*)$/.exec(operationId) ?? [];
  const plural = record.replace(/(?<![aeiou])y$/, 'ie');
  const object = rest.replace(new RegExp(`^(?:${record}|${plural}s)(?![a-z])`), '');
  if (object === '') return verb;
  return ['list', 'get'].includes(verb) ? object.toLowerCase() : verb + object;
}

function declareMethod(group: Group, placed: Placed, schemas: Schemas): string {
  const { method, path, operation } = placed;
  const { operationId, parameters = [], summary, deprecated } = operation;
  const name = methodName(group, operationId);
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => `${id}: Int64`);
  const target = `\`${path.replaceAll('{', '${')}\``.replace(/^`([^$]*)`$/, "'$1'");
  const comment = commentOf(`${summary}.`);
  const result = resultOf(operation, schemas);
  if (deprecated) {
    const signature = `${name}(${[...ids, 'options?: CallOptions'].join(', ')})`;
    return `${comment}abstract ${signature}: Promise<${result}>;`;
  }
  const write = (params: readonly string[], type: string, call: string) =>
    `${comment}${name}(${[...ids, ...params].join(', ')}): ${type} { return this.${call}; }`;
  const body = typeOf(jsonSchema(operation.requestBody) ?? {});
  const bodies = operation.requestBody === undefined ? [] : [`body: ${body}`];
  const sent = operation.requestBody === undefined ? 'undefined' : 'body';

  if (method === 'GET') return declareRead(operation, target, result, write);
  if (method === 'POST') {
    const safely = /^(?:create|place)/.test(operationId) ? ', true' : '';
    const params = [...bodies, 'options?: PostOptions'];
    return write(params, `Promise<${result}>`, `postTo(${target}, ${sent}, options${safely})`);
  }
  const conditional = parameters.some(({ $ref }) => $ref?.endsWith('/IfMatch'));
  const options = conditional
    ? `options?: ChangeOptions<${group.record}>`
    : 'options?: CallOptions';
  const again = conditional ? `, () => this.get(${idsIn(path)}, options)` : '';
  const call = `changeAt('${method}', ${target}, ${sent}, options${again})`;
  return write([...bodies, options], `Promise<${result}>`, call);
}

function declareRead(
  operation: Operation,
  target: string,
  result: string,
  write: (params: readonly string[], type: string, call: string) => string,
): string {
  const queries = queryOf(operation);
  const paged = (operation.parameters ?? []).some(({ name = '' }) =>
    /^(?:cursor|after)$/.test(name),
  );
  const optional = queries.some(({ required }) => required) ? '' : ' = {}';
  const query = `query: ${queryName(operation)}${optional}`;
  if (paged) {
    const params = [query, 'options?: CallOptions'];
    return write(
      params,
      `List<${result.slice(0, -'[]'.length)}>`,
      `listAt(${target}, query, options)`,
    );
  }
  if (queries.length === 0) {
    return write(['options?: CallOptions'], `Promise<${result}>`, `readAt(${target}, options)`);
  }
  const call = `readAt(${target} + searchOf(query), options)`;
  return write([query, 'options?: CallOptions'], `Promise<${result}>`, call);
}

/** The parameters that a caller gives; the client follows cursors by itself. */
export function queryOf({ parameters = [] }: Operation): readonly Parameter[] {
  return parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'cursor');
}

/** The name of the type of a query. */
export function queryName({ operationId }: Operation): string {
  return `${capital(operationId)}Query`;
}

/** The type of a successful response. Arrays have names in the document that the client has no use for. */
function resultOf({ responses }: Operation, schemas: Schemas): string {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const schema = jsonSchema(success);
  if (schema === undefined) return 'void';
  const { items } = schemas[nameOf(schema.$ref ?? '')] ?? schema;
  return items === undefined ? typeOf(schema) : `${typeOf(items)}[]`;
}

const idsIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id).join(', ');
/** Returns a text with its first letter in upper case. */
export const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
