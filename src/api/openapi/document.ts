import { createDocument, type ZodOpenApiOperationObject } from 'zod-openapi';
import { INT64_MAX, INT64_MIN } from '../../domain/int64.ts';
import { writeJson } from '../../http/json.ts';
import { DEPRECATION_HEADERS, HEADERS } from '../contract/headers.ts';
import { INTERFACE_VERSION, type OperationDefinition } from '../contract/operation.ts';
import { tagObjects } from '../contract/tags.ts';
import {
  type ApiDocument,
  type DocumentModel,
  mapObjects,
  type OperationModel,
  objectOf,
} from './document-model.ts';
import { INTRODUCTION } from './introduction.ts';
import { REQUEST_HEADERS, requestOf } from './parameters.ts';
import { responsesOf } from './responses.ts';
import { withParameterExamples } from './samples/parameter-examples.ts';
import { withSamples } from './samples/samples.ts';
import { webhookObjects } from './webhook-objects.ts';

/** The base URLs of the two deployments, each ending in `/v1`. At least one is known. */
export interface DocumentServers {
  readonly productionUrl?: string | undefined;
  readonly stagingUrl?: string | undefined;
}

/** Returns the address that samples and links start with: that of production, if it is known. */
export function firstServer({ productionUrl, stagingUrl }: DocumentServers): string {
  return productionUrl ?? stagingUrl ?? '/v1';
}

/** Builds the OpenAPI 3.1 document from the definitions that the service runs. */
export function buildDocument(
  operations: readonly OperationDefinition[],
  urls: DocumentServers,
): ApiDocument {
  const pathItem = (ofPath: readonly OperationDefinition[]) =>
    Object.fromEntries(
      ofPath.map((operation) => [
        operation.method.toLowerCase(),
        operationObject(operation, operations),
      ]),
    );
  const byPath = [...Map.groupBy(operations, ({ path }) => path)];
  const paths = Object.fromEntries(byPath.map(([path, ofPath]) => [path, pathItem(ofPath)]));
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Petstore',
      version: INTERFACE_VERSION,
      summary: 'Animals that a store or shelter offers for adoption.',
      description: INTRODUCTION,
      contact: { name: 'Petstore', url: new URL('/docs', firstServer(urls)).href },
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
    },
    servers: [
      { url: urls.productionUrl, description: 'Production', 'x-internal': false },
      { url: urls.stagingUrl, description: 'Staging', 'x-internal': false },
    ].flatMap(({ url, ...more }) => (url === undefined ? [] : [{ url, ...more }])),
    security: [{ apiKey: [] }],
    tags: tagObjects(operations),
    paths,
    webhooks: webhookObjects(),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Your API key as a bearer token: `Authorization: Bearer <API key>`.',
        },
      },
      parameters: REQUEST_HEADERS,
      headers: { ...HEADERS, ...DEPRECATION_HEADERS },
    },
  });
  // The output of zod-openapi is JSON as the model says, but its own types allow more, and no bigint.
  const model = withSamples(withParameterExamples(document as unknown as DocumentModel));
  Object.assign(model.components, { responses: shareResponses(model) });
  const json = model as unknown as ApiDocument;
  const text = writeJson(json);
  dropUnused('headers', document.components?.headers, text);
  dropUnused('parameters', document.components?.parameters, text);
  return objectOf(mapObjects(json, withInt64Bounds));
}

/** An int64 has bounds: as a `number` the upper one would be off by one. */
function withInt64Bounds(object: ApiDocument): ApiDocument {
  if (object['type'] !== 'integer' || object['format'] !== 'int64') return object;
  return { minimum: INT64_MIN, maximum: INT64_MAX, ...object };
}

/** Removes components that nothing in `text`, the whole document, refers to. */
function dropUnused(kind: string, components: Record<string, unknown> = {}, text: string): void {
  for (const name of Object.keys(components)) {
    if (!text.includes(`"#/components/${kind}/${name}"`)) delete components[name];
  }
}

/** Returns an operation as the document describes it. */
function operationObject(
  operation: OperationDefinition,
  operations: readonly OperationDefinition[],
): ZodOpenApiOperationObject {
  const { id, tag, summary, access, stability, deprecation, hideTryItPanel } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${operation.description}\n\nRequires an API key with the scope \`${access}\`.`,
    ...(deprecation && {
      deprecated: true,
      'x-deprecated-sunset': new Date(deprecation.sunset).toISOString().slice(0, 10),
    }),
    ...(stability !== 'stable' && { 'x-stability': stability }),
    ...(hideTryItPanel === true && { 'x-hideTryItPanel': true }),
    ...requestOf(operation),
    responses: responsesOf(operation, operations),
  };
}

/** A response besides those of success, as the document describes it. */
type Response = OperationModel['responses'][string];

/** Names of shared responses by status. Further ones of the same status have a number at the end. */
const NAMES: Readonly<Record<string, string>> = {
  304: 'NotModified',
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'BodyTooLarge',
  414: 'UriTooLong',
  415: 'UnsupportedMediaType',
  422: 'IdempotencyKeyReused',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
};

/**
 * Replaces each response that several operations have by a reference, and returns the components.
 * Examples count: operations whose messages differ have responses of their own.
 */
function shareResponses({ paths }: DocumentModel): Readonly<Record<string, Response>> {
  const places = Object.values(paths)
    .flatMap(Object.values<OperationModel>)
    .flatMap(({ responses }) =>
      Object.keys(responses)
        .filter((status) => status in NAMES)
        .map((status) => ({ responses, status })),
    );
  const components: Record<string, Response> = {};
  const same = Map.groupBy(places, (place) => JSON.stringify(place.responses[place.status]));
  for (const [text, [first, ...others]] of same) {
    if (first === undefined || others.length === 0) continue;
    const name = freeName(NAMES[first.status] ?? '', components);
    components[name] = JSON.parse(text);
    for (const { responses, status } of [first, ...others]) {
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return components;
}

function freeName(name: string, taken: object): string {
  let number = 1;
  while (`${name}${number === 1 ? '' : number}` in taken) number++;
  return `${name}${number === 1 ? '' : number}`;
}
