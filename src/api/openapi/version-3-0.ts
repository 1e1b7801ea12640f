import { INT64_MAX, INT64_MIN } from '../../domain/int64.ts';
import type { WritableJson } from '../../http/json.ts';
import {
  type ApiDocument,
  isList,
  mapMembers,
  mapObjects,
  mapOperations,
  objectOf,
  pathsOf,
} from './document-model.ts';

/** Returns the document of `/openapi-3.0.json`, which generators of every language take. */
export function generatorDocument(document: ApiDocument): ApiDocument {
  return asVersion30(forGenerators(document));
}

/**
 * Converts a document from OpenAPI 3.1 to 3.0.3, for generators that support nothing newer. It
 * converts only what our documents use: JSON Schema 2020-12 has much that 3.0 has not. The tests
 * validate the result against the rules of 3.0.
 */
export function asVersion30(document: ApiDocument): ApiDocument {
  // 3.0 has no summary of the document, and no webhooks.
  const { summary: _, ...info } = objectOf(document['info'] ?? {});
  const { webhooks: __, ...rest } = document;
  return { ...objectOf(mapObjects(rest, converted)), openapi: '3.0.3', info };
}

function converted(object: ApiDocument): ApiDocument {
  const { additionalProperties = false, ...rest } = object;
  return nullable(constant(reference(isAnything(additionalProperties) ? rest : object)));
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

/*
 * What is right in OpenAPI and yet stops a generator of some language. None of it is needed to write a client: the
 * service checks every request itself.
 */

/** The media types of bodies, best first: one of them is left. */
const MEDIA_TYPES = ['application/octet-stream', 'application/json'] as const;

/**
 * Words that are reserved in a language that clients are generated in, or that are members of its enums: `name` of
 * Kotlin, `new` of Java, `True` of Python.
 */
const RESERVED = new Set(
  'abstract and any as break case catch class const continue default delete do double else enum extends false final float for from function if implements import in instanceof int interface is long match name namespace new none not null operator or package private protected public return self short static super switch this throw true try type val var void while with yield'.split(
    ' ',
  ),
);

/** Headers that an example would make fail, or mean something else. */
const HEADERS_WITHOUT_EXAMPLE = new Set(['If-Match', 'If-None-Match', 'Idempotency-Key', 'Prefer']);
/** Parameters whose example holds at most once, or that make the client wait. */
const WITHOUT_EXAMPLE = new Set(['cursor', 'after', 'wait']);

/** The parameters whose examples go together, of operations that refuse all at once, or refuse times long ago. */
const EXAMPLES_OF: Readonly<Record<string, readonly string[]>> = {
  startImport: ['dryRun', 'name', 'category', 'status', 'statusMap', 'externalId', 'unnamed'],
  getKeyUsage: ['keyId', 'per'],
};

/**
 * Ids that the demonstration has (`petstore demo`), and else those that its first record of a kind gets. The key is not
 * the one that the reader uses.
 */
const IDS: Readonly<Record<string, number>> = {
  petId: 28,
  stayId: 292,
  photoId: 1,
  categoryId: 2,
  orderId: 3,
  personId: 1,
  keyId: 3,
  webhookId: 1,
  deliveryId: 1,
  importId: 1,
  channelId: 1,
  enquiryId: 1,
};

/** Examples of bodies that would be refused where the records of the demonstration are. */
const BODIES: Readonly<Record<string, Readonly<Record<string, WritableJson>>>> = {
  createCategory: { name: 'Rabbits' },
  updateCategory: { name: 'Dogs' },
  placeOrder: { petId: 8 },
};

const INT64_BOUNDS = { minimum: INT64_MIN, maximum: INT64_MAX };

/** Returns a document that generators of every language take, which `/openapi-3.0.json` is made from. */
function forGenerators(document: ApiDocument): ApiDocument {
  const paths = mapOperations(pathsOf(document), operationFor);
  return objectOf(mapObjects({ ...document, paths }, plain));
}

function operationFor(operation: ApiDocument): ApiDocument {
  const { parameters = [], requestBody, responses = {}, 'x-codeSamples': _, ...rest } = operation;
  const body = requestBody === undefined ? undefined : objectOf(requestBody);
  const id = String(operation['operationId']);
  const values = BODIES[id];
  return {
    ...rest,
    parameters: isList(parameters)
      ? parameters.map((one) => parameterFor(objectOf(one), EXAMPLES_OF[id]))
      : [],
    ...(body && { requestBody: withOneType(body, values) }),
    responses: mapMembers(objectOf(responses), (response) => withOneType(objectOf(response))),
  };
}

/** Without an example if that is none of `kept`. */
function parameterFor(parameter: ApiDocument, kept?: readonly string[]): ApiDocument {
  const { example, ...rest } = parameter;
  const name = String(parameter['name']);
  if (parameter['in'] === 'path') return { ...rest, example: IDS[name] ?? example ?? null };
  const isLeftOut = WITHOUT_EXAMPLE.has(name) || kept?.includes(name) === false;
  return example === undefined || isLeftOut ? rest : parameter;
}

/** Leaves one media type of a body, with these members in its example. */
function withOneType(body: ApiDocument, values: ApiDocument = {}): ApiDocument {
  const content = objectOf(body['content'] ?? {});
  const [first] = Object.keys(content);
  const type = MEDIA_TYPES.find((one) => one in content) ?? first;
  if (type === undefined) return body;
  const kept = objectOf(content[type] ?? {});
  const { example } = kept;
  const isObject = typeof example === 'object' && example !== null && !isList(example);
  const shown = isObject ? { example: { ...objectOf(example), ...values } } : {};
  return { ...body, content: { [type]: { ...kept, ...shown } } };
}

function plain(object: ApiDocument): ApiDocument {
  const { pattern: _, allOf: __, propertyNames: ___, ...schema } = object;
  const result: Record<string, WritableJson> = schema;
  if (HEADERS_WITHOUT_EXAMPLE.has(String(result['name']))) delete result['example'];
  if (result['format'] === 'binary') delete result['maxLength'];
  // An array of one length is an array type of Rust, which its serializer has only up to 32.
  if (result['minItems'] === result['maxItems']) delete result['minItems'];
  // An id of at least 1 would be of another type than the same id in a parameter.
  if (result['format'] === 'int64') Object.assign(result, INT64_BOUNDS);
  const words = result['enum'];
  if (words === undefined || !isList(words) || !words.some(isReserved)) return result;
  return { ...result, 'x-enum-varnames': words.map((word) => nameOf(String(word))) };
}

function isReserved(word: WritableJson): boolean {
  return RESERVED.has(String(word).toLowerCase());
}

/** Returns a name that is a name in every language: `small_mammal` is `SMALL_MAMMAL`. */
function nameOf(word: string): string {
  return word.replace(/\W+/g, '_').toUpperCase();
}
