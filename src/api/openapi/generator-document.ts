import { INT64_MAX, INT64_MIN } from '../../domain/int64.ts';
import type { WritableJson } from '../../http/json.ts';
import type { ApiDocument } from './document.ts';
import { isList, mapProperties, objectOf, VALUES } from './version-3-0.ts';

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
export function forGenerators(document: ApiDocument): ApiDocument {
  const paths = Object.entries(objectOf(document['paths'] ?? {})).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(objectOf(item)).map(([method, operation]) => [
        method,
        operationFor(objectOf(operation)),
      ]),
    ),
  ]);
  return plain({ ...document, paths: Object.fromEntries(paths) });
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
    responses: Object.fromEntries(
      Object.entries(objectOf(responses)).map(([status, response]) => [
        status,
        withOneType(objectOf(response)),
      ]),
    ),
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
  const result: Record<string, WritableJson> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') result[key] = mapProperties(value, plainValue);
    else result[key] = VALUES.has(key) ? value : plainValue(value);
  }
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

function plainValue(value: WritableJson): WritableJson {
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? value.map(plainValue) : plain(objectOf(value));
}

function isReserved(word: WritableJson): boolean {
  return RESERVED.has(String(word).toLowerCase());
}

/** Returns a name that is a name in every language: `small_mammal` is `SMALL_MAMMAL`. */
function nameOf(word: string): string {
  return word.replace(/\W+/g, '_').toUpperCase();
}
