import {
  type DocumentModel,
  jsonContent,
  nameOf,
  type OperationModel,
  type Schema,
  successOf,
} from '../document-model.ts';

/** The file that a sample sends if the document has no example of its body. */
export const SAMPLE_FILE = 'photo.jpg';

/** A request with the examples of the document. Integers from our own tables may be `bigint`. */
export interface ExampleRequest {
  /** In upper case. */
  readonly method: string;
  /** The path with the names of its ids: `/pets/{petId}`. */
  readonly path: string;
  /** The values of the ids, in the order of the path. */
  readonly ids: readonly unknown[];
  readonly query: Readonly<Record<string, unknown>>;
  /** The value is undefined for a file that is no text. */
  readonly body?: { readonly mediaType: string; readonly value: unknown };
}

/** Builds the example request of an operation. Throws if the document lacks an example for it. */
export function exampleRequest(
  document: DocumentModel,
  path: string,
  method: string,
  operation: OperationModel,
): ExampleRequest {
  const [body] = Object.entries(operation.requestBody?.content ?? {});
  return {
    method: method.toUpperCase(),
    path,
    ids: [...path.matchAll(/\{\w+\}/g)].map(({ 0: name, index }) =>
      exampleId(document, path.slice(0, index + name.length), method),
    ),
    query: exampleQuery(document, operation),
    ...(body && { body: { mediaType: body[0], value: body[1].example } }),
  };
}

/**
 * Returns the id of the record at `path` in an example: that of the same method, else of another
 * one, else of the first record in the list above it.
 */
export function exampleId(document: DocumentModel, path: string, method: string): unknown {
  const item = document.paths[path] ?? {};
  const list = document.paths[path.replace(/\/\{\w+\}$/, '')]?.['get'];
  for (const operation of [item[method], ...Object.values(item), list]) {
    const example = operation && jsonContent(successOf(operation))?.example;
    const { id } = Object([example].flat()[0]);
    if (id !== undefined) return id;
  }
  throw new Error(`no example in the document has an id for ${path}`);
}

/** The required parameters, and the first of the others that takes one of several words. */
function exampleQuery(document: DocumentModel, { parameters = [] }: OperationModel) {
  const query: Record<string, unknown> = {};
  let hasOptional = false;
  for (const { name = '', required = false, schema, example, ...parameter } of parameters) {
    const value = required ? example : firstWord(document, schema);
    if (parameter.in !== 'query' || (!required && (value === undefined || hasOptional))) continue;
    if (value === undefined) throw new Error(`the parameter ${name} has no example`);
    query[name] = value;
    hasOptional ||= !required;
  }
  return query;
}

function firstWord(document: DocumentModel, schema: Schema = {}): unknown {
  const { enum: words, items } = schema.$ref
    ? (document.components.schemas[nameOf(schema.$ref)] ?? {})
    : schema;
  return words?.[0] ?? (items && firstWord(document, items));
}

/** Returns the path and query of a request, from the base address on. */
export function targetOf({ path, ids, query }: ExampleRequest): string {
  const values = ids.values();
  const search = Object.entries(query).map(([name, value]) => `${name}=${String(value)}`);
  const target = path.replace(/\{\w+\}/g, () => encodeURIComponent(String(values.next().value)));
  return search.length > 0 ? `${target}?${search.join('&')}` : target;
}
