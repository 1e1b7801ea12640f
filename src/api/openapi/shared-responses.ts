import type { DocumentModel, OperationModel } from './document-model.ts';

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
export function shareResponses({ paths }: DocumentModel): Readonly<Record<string, Response>> {
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
