import type { WritableJson } from '../../http/json.ts';

/** The parts of our OpenAPI 3.1 document that samples and the TypeScript client are made from. */
export interface DocumentModel {
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationModel>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface OperationModel {
  readonly operationId: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content; readonly required?: boolean };
  readonly responses: Record<string, { readonly $ref?: string; readonly content?: Content }>;
}

export interface Parameter {
  readonly $ref?: string;
  readonly in?: string;
  readonly name?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

/** Bodies by media type. */
export type Content = Readonly<
  Record<string, { readonly schema: Schema; readonly example?: unknown }>
>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  /** The property that tells the schemas of `oneOf` apart, with the schema for each of its values. */
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, string>>;
  };
}

/** Returns the last part of a reference: the name of a schema or parameter. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** Returns the body in JSON; undefined without one. */
export function jsonContent(
  body: { readonly content?: Content } | undefined,
): Content[string] | undefined {
  return body?.content?.['application/json'];
}

/** Returns the successful response of an operation. */
export function successOf({
  responses,
}: OperationModel): { readonly content?: Content } | undefined {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
}

/** An OpenAPI document, or an object in it. Integers that a `number` cannot represent are `bigint`. */
export type ApiDocument = { readonly [key: string]: WritableJson };

export function objectOf(value: WritableJson): ApiDocument {
  // The document is ours: its structure is known.
  return value as ApiDocument;
}

export function isList(value: WritableJson): value is readonly WritableJson[] {
  return Array.isArray(value);
}

/** Returns a record with the same keys and other values. */
export function mapMembers<V, R>(
  record: Readonly<Record<string, V>>,
  map: (value: V, key: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** Returns the paths of a document with other operations. */
export function mapOperations<O, R>(
  paths: Readonly<Record<string, Readonly<Record<string, O>>>>,
  map: (operation: O, path: string, method: string) => R,
): Record<string, Record<string, R>> {
  return mapMembers(paths, (item, path) =>
    mapMembers(item, (operation, method) => map(operation, path, method)),
  );
}

/** The paths of a document that is not a model. */
export function pathsOf({ paths = {} }: ApiDocument): Record<string, Record<string, ApiDocument>> {
  return mapMembers(objectOf(paths), (item) => mapMembers(objectOf(item), objectOf));
}

/** Members that contain data of clients: no schemas inside. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'value']);

/** Returns a part of a document in which `change` has replaced each object, the inner ones first. */
export function mapObjects(
  value: WritableJson,
  change: (object: ApiDocument) => ApiDocument,
): WritableJson {
  const inside = (member: WritableJson) => mapObjects(member, change);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(inside);
  const members = mapMembers(objectOf(value), (member, key) => {
    // Properties may be called like the members with data.
    if (key === 'properties') return mapMembers(objectOf(member), inside);
    return DATA.has(key) ? member : inside(member);
  });
  return change(members);
}
