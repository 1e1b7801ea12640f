import {
  type DocumentModel,
  jsonContent,
  nameOf,
  type OperationModel,
  type Parameter,
  type Schema,
  successOf,
} from '../../../src/api/openapi/document-model.ts';
import {
  CLIENT_GROUPS,
  type ClientGroup,
  clientGroupOf,
  clientMethodName,
  isPagedList,
} from '../../../src/api/openapi/samples/client-sample.ts';
import { commentOf, typeOf } from './types.ts';

type Schemas = Readonly<Record<string, Schema>>;

/** An operation where it stands in the document. */
export interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationModel;
}

/** Returns the groups that have operations, with them. */
export function groupsOf({
  paths,
}: DocumentModel): readonly (readonly [ClientGroup, readonly Placed[]])[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  return CLIENT_GROUPS.map((group) => {
    return [group, all.filter(({ path }) => clientGroupOf(path) === group)] as const;
  }).filter(([, placed]) => placed.length > 0);
}

/** The name of the generated class of a group. */
export function classOf({ record }: ClientGroup): string {
  return `${record}Operations`;
}

/** Returns the class of a group. */
export function declareClass(
  group: ClientGroup,
  placed: readonly Placed[],
  schemas: Schemas,
): string {
  const abstract = placed.some(({ operation }) => operation.deprecated) ? 'abstract ' : '';
  const methods = placed.map((one) => declareMethod(group, one, placed, schemas));
  return `/** \`store.${group.name}\`. */\nexport ${abstract}class ${classOf(group)} extends Group {
${methods.join('\n\n')}\n}`;
}

function declareMethod(
  group: ClientGroup,
  { method, path, operation }: Placed,
  all: readonly Placed[],
  schemas: Schemas,
): string {
  const { operationId, parameters = [], summary, deprecated } = operation;
  const name = clientMethodName(group, operationId);
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
  // A body in another format than JSON, or in that of tables too, is a file.
  const json = jsonContent(operation.requestBody);
  const formats = Object.keys(operation.requestBody?.content ?? {});
  const isFile = json === undefined || formats.includes('text/csv');
  const body = isFile ? 'Blob' : typeOf(json.schema);
  const isOptional = operation.requestBody?.required === false;
  const bodies =
    operation.requestBody === undefined ? [] : [`body: ${body}${isOptional ? ' = {}' : ''}`];
  const sent = operation.requestBody === undefined ? 'undefined' : 'body';

  if (method === 'GET') return declareRead(operation, target, result, write);
  if (method === 'POST') {
    const safely = /^(?:create|place|start|add|order)/.test(operationId) ? ', true' : '';
    const hasQuery = queryOf(operation).length > 0;
    const query = hasQuery ? [`query: ${queryName(operation)} = {}`] : [];
    const url = hasQuery ? withQuery(target) : target;
    const params = [...bodies, ...query, 'options?: PostOptions'];
    return write(params, `Promise<${result}>`, `postTo(${url}, ${sent}, options${safely})`);
  }
  const conditional = parameters.some(({ $ref }) => $ref?.endsWith('/IfMatch'));
  // A record that cannot be read by itself has no tag that a caller could know.
  const read = all.find((one) => one.path === path && one.method === 'GET')?.operation;
  const record = conditional && read && resultOf(read, schemas);
  const options = record ? `options?: ChangeOptions<${record}>` : 'options?: CallOptions';
  const reader = read && clientMethodName(group, read.operationId);
  const again = record ? `, () => this.${reader}(${[...idsIn(path), 'options'].join(', ')})` : '';
  const call = `changeAt('${method}', ${target}, ${sent}, options${again})`;
  return write([...bodies, options], `Promise<${result}>`, call);
}

function declareRead(
  operation: OperationModel,
  target: string,
  result: string,
  write: (params: readonly string[], type: string, call: string) => string,
): string {
  const queries = queryOf(operation);
  const optional = queries.some(({ required }) => required) ? '' : ' = {}';
  const query = `query: ${queryName(operation)}${optional}`;
  if (isPagedList(operation.parameters)) {
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
  const call = `readAt(${withQuery(target)}, options)`;
  return write([query, 'options?: CallOptions'], `Promise<${result}>`, call);
}

/** The parameters that a caller gives; the client follows cursors by itself. */
export function queryOf({ parameters = [] }: OperationModel): readonly Parameter[] {
  return parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'cursor');
}

/** The name of the type of a query. */
export function queryName({ operationId }: OperationModel): string {
  return `${capital(operationId)}Query`;
}

/** The type of a successful response. Arrays have names in the document that the client has no use for. */
function resultOf(operation: OperationModel, schemas: Schemas): string {
  const schema = jsonContent(successOf(operation))?.schema;
  if (schema === undefined) return 'void';
  const { items } = schemas[nameOf(schema.$ref ?? '')] ?? schema;
  return items === undefined ? typeOf(schema) : `${typeOf(items)}[]`;
}

/** Adds the query to the literal of a path. */
const withQuery = (target: string) => `\`${target.slice(1, -1)}\${searchOf(query)}\``;
const idsIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => id);
/** Returns a text with its first letter in upper case. */
export const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
