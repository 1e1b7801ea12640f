import type { WritableJson } from '../../http/json.ts';
import type { ApiDocument } from './document.ts';

/**
 * Converts a document from OpenAPI 3.1 to 3.0.3, for generators that support nothing newer. It
 * converts only what our documents use: JSON Schema 2020-12 has much that 3.0 has not. The tests
 * validate the result against the rules of 3.0.
 */
export function asVersion30(document: ApiDocument): ApiDocument {
  // 3.0 has no summary of the document, and no webhooks.
  const { summary: _, ...info } = objectOf(document['info'] ?? {});
  const { webhooks: __, ...rest } = document;
  return { ...converted(rest), openapi: '3.0.3', info };
}

export function objectOf(value: WritableJson): ApiDocument {
  // The document is ours: its structure is known.
  return value as ApiDocument;
}

export function isList(value: WritableJson): value is readonly WritableJson[] {
  return Array.isArray(value);
}

/** Members that contain data of clients: no schemas inside. */
export const VALUES = new Set(['example', 'examples', 'default', 'enum', 'value']);

function convertedValue(value: WritableJson): WritableJson {
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? value.map(convertedValue) : converted(objectOf(value));
}

function converted(object: ApiDocument): ApiDocument {
  const result: Record<string, WritableJson> = {};
  for (const [key, value] of Object.entries(object)) {
    if (key === 'additionalProperties' && isAnything(value)) continue;
    if (key === 'properties') result[key] = mapProperties(value, convertedValue);
    else result[key] = VALUES.has(key) ? value : convertedValue(value);
  }
  return nullable(constant(reference(result)));
}

/** Maps the schemas of properties, whose names may be those of members with data: `example`. */
export function mapProperties(
  properties: WritableJson,
  map: (schema: WritableJson) => WritableJson,
): WritableJson {
  const pairs = Object.entries(objectOf(properties));
  return Object.fromEntries(pairs.map(([name, schema]) => [name, map(schema)]));
}

/** `additionalProperties: {}` is the default. Linters of 3.0 take it for an object that nobody has thought about. */
function isAnything(schema: WritableJson): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
}

/** In 3.0, `$ref` must be the only member. */
function reference(object: ApiDocument): ApiDocument {
  const { $ref, ...beside } = object;
  if ($ref === undefined || Object.keys(beside).length === 0) return object;
  return { ...beside, allOf: [{ $ref }] };
}

function constant(object: ApiDocument): ApiDocument {
  const { const: only, ...rest } = object;
  return only === undefined || typeof object['type'] !== 'string'
    ? object
    : { ...rest, enum: [only] };
}

/** 3.0 has no type of null alone. */
const NULL = { type: 'string', maxLength: 0, nullable: true };

function isNull(schema: ApiDocument): boolean {
  return schema['nullable'] === true && schema['maxLength'] === 0;
}

/** `null` is a type in 3.1 and a property of a type in 3.0. */
function nullable(object: ApiDocument): ApiDocument {
  const { type, anyOf, ...rest } = object;
  if (type === 'null') return { ...rest, ...NULL };
  if (type !== undefined && isList(type)) {
    const [first = 'null', ...others] = type.filter((name) => name !== 'null');
    if (others.length > 0) throw new Error('3.0 has no schema of several types');
    return { ...rest, type: first, ...(type.includes('null') && { nullable: true }) };
  }
  if (anyOf === undefined || !isList(anyOf)) return object;
  const schemas = anyOf.map(objectOf).filter((schema) => !isNull(schema));
  const [first] = schemas;
  if (schemas.length === anyOf.length) return object;
  if (first === undefined || schemas.length > 1) return { ...rest, anyOf: schemas, nullable: true };
  if ('$ref' in first) throw new Error('3.0 has no reference that may be null');
  // An enum lists every value, so also null.
  const values = first['enum'];
  const withNull = values !== undefined && isList(values) && { enum: [...values, null] };
  return { ...rest, ...first, ...withNull, nullable: true };
}
