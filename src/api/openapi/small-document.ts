import { type WritableJson, writeJson } from '../../http/json.ts';
import type { OperationDefinition } from '../contract/operation.ts';
import { buildDocument, type DocumentServers, firstServer } from './document.ts';
import {
  type ApiDocument,
  isList,
  mapObjects,
  mapOperations,
  objectOf,
  pathsOf,
} from './document-model.ts';

/** The scopes of the document: an assistant has no business with keys and webhooks. */
const SCOPES: ReadonlySet<string> = new Set(['read', 'adopt', 'write']);

const INTRODUCTION =
  'Animals that a store or shelter offers for adoption. A part of `/openapi.json`, for programs with little room: `/llms.txt` lists the guides. Lists are paged: the next page is at the `rel="next"` link of the header `Link`. A `PATCH` changes only the members that it has. After 429 and 503, wait as many seconds as `Retry-After` says.';

/** What the document says of every response that is no success. */
const REFUSED = {
  description: 'Refused: `message` says why, and what to do.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** Characters of descriptions: of an operation, which GPT Actions limit, and of anything else. */
const OPERATION_TEXT_MAX = 220;
const TEXT_MAX = 40;

/** Members that help to check a request, not to write one. `allOf` has nothing but patterns. */
const LEFT_OUT = new Set([
  'pattern',
  'allOf',
  'minLength',
  'minItems',
  'maxItems',
  'style',
  'explode',
]);

/**
 * Returns a document of the operations for keys without the scope `admin`, in OpenAPI 3.1: without
 * samples, headers of responses and single errors, with short descriptions.
 */
export function smallDocument(
  operations: readonly OperationDefinition[],
  servers: DocumentServers,
): ApiDocument {
  const chosen = operations.filter(({ access }) => SCOPES.has(access));
  const document = buildDocument(chosen, servers);
  const { openapi = '', info = {}, security = [] } = document;
  const smallPaths = mapOperations(pathsOf(document), smallOperation);
  const { securitySchemes = {}, schemas, ...components } = objectOf(document['components'] ?? {});
  const headers = reachable('parameters', components['parameters'], writeJson(smallPaths));
  const [paths, parameters] = withSharedParameters(smallPaths);
  const used = { parameters: { ...headers, ...parameters }, responses: { Refused: REFUSED } };
  return {
    openapi,
    info: { ...objectOf(info), description: INTRODUCTION },
    servers: [{ url: firstServer(servers) }],
    security,
    paths,
    components: {
      securitySchemes,
      ...used,
      schemas: reachable('schemas', schemas, writeJson([paths, used])),
    },
  };
}

function smallOperation(operation: ApiDocument): ApiDocument {
  const { operationId = '', summary = '', description = '', deprecated, ...others } = operation;
  const { parameters = [], requestBody, responses = {} } = others;
  const [success] = Object.entries(objectOf(responses)).filter(([status]) => status < '300');
  if (success === undefined) throw new Error(`no success of ${operationId} in the document`);
  const given = isList(parameters) ? parameters.filter((one) => !isForOthers(objectOf(one))) : [];
  return {
    operationId,
    summary,
    description: shortened(String(description), OPERATION_TEXT_MAX),
    ...(deprecated !== undefined && { deprecated }),
    ...(given.length > 0 && { parameters: small(given.map(plainParameter)) }),
    ...(requestBody !== undefined && { requestBody: smallBody(objectOf(requestBody)) }),
    responses: {
      [success[0]]: smallBody(objectOf(success[1]), ['example', 'examples']),
      '4XX': { $ref: '#/components/responses/Refused' },
    },
  };
}

type Paths = ReturnType<typeof pathsOf>;

/** Returns paths in which the parameters that several operations have are references, and those parameters by name. */
function withSharedParameters(paths: Paths): [paths: Paths, shared: ApiDocument] {
  const shared: Record<string, WritableJson> = {};
  const seen = new Set<string>();
  const each = (change: (parameter: ApiDocument) => WritableJson) =>
    mapOperations(paths, (operation): ApiDocument => {
      const { parameters } = operation;
      if (parameters === undefined || !isList(parameters)) return operation;
      return { ...operation, parameters: parameters.map((one) => change(objectOf(one))) };
    });
  each((parameter) => {
    const text = writeJson(parameter);
    const { name, $ref } = parameter;
    // Of several with a name the first that comes again.
    if ($ref === undefined && seen.has(text)) shared[String(name)] ??= parameter;
    seen.add(text);
    return parameter;
  });
  const replaced = each((parameter) => {
    const name = String(parameter['name']);
    const isShared = writeJson(shared[name] ?? null) === writeJson(parameter);
    return isShared ? { $ref: `#/components/parameters/${name}` } : parameter;
  });
  return [replaced, shared];
}

/** An assistant has no earlier response to compare with, and no spreadsheet. */
function isForOthers({ $ref, name }: ApiDocument): boolean {
  return $ref === '#/components/parameters/IfNoneMatch' || name === 'separator' || name === 'bom';
}

/** A parameter without an example where its words are one, and where nobody can make one up. */
function plainParameter(parameter: WritableJson): WritableJson {
  const { example, ...rest } = objectOf(parameter);
  const { enum: words, items } = objectOf(rest['schema'] ?? {});
  const isListed = words !== undefined || objectOf(items ?? {})['enum'] !== undefined;
  return isListed || rest['name'] === 'cursor' ? rest : parameter;
}

/** A body in one media type is enough. Without `leftOut` members. */
function smallBody(body: ApiDocument, leftOut: readonly string[] = []): ApiDocument {
  const { headers: _, links: __, content, ...rest } = body;
  if (content === undefined) return objectOf(small(rest));
  const types = Object.entries(objectOf(content));
  const [type, media] = types.find(([name]) => name === 'application/json') ?? types[0] ?? [''];
  const kept = Object.entries(objectOf(media ?? {})).filter(([name]) => !leftOut.includes(name));
  return objectOf(small({ ...rest, content: { [type]: Object.fromEntries(kept) } }));
}

/** Returns a part of the document with short descriptions, without what an assistant does not need. */
function small(value: WritableJson): WritableJson {
  return mapObjects(value, (object) => {
    const kept: Record<string, WritableJson> = {};
    for (const [key, member] of Object.entries(object)) {
      if (LEFT_OUT.has(key) || key.startsWith('x-') || isObvious(key, member)) continue;
      // All integers are whole numbers to an assistant.
      if (key === 'format' && /^int\d\d$/.test(String(member))) continue;
      // The format says it: that of a date, a time or a UUID.
      if (key === 'maxLength' && 'format' in object) continue;
      const shown = key === 'description' ? shortened(String(member), TEXT_MAX) : member;
      // `How many:`, without what follows, says nothing.
      if (key !== 'description' || !String(shown).endsWith(':')) kept[key] = shown;
    }
    return withShortNull(kept);
  });
}

/** Bounds of every number, and that objects have no other members. */
function isObvious(key: string, member: WritableJson): boolean {
  const isBound =
    key === 'maximum' ? member === Number.MAX_SAFE_INTEGER : key === 'minimum' && member === 0;
  return (
    isBound || typeof member === 'bigint' || (key === 'additionalProperties' && member === false)
  );
}

/** A value of one type or `null` is said with a list of types, not with a choice of schemas. */
function withShortNull(schema: ApiDocument): ApiDocument {
  const { anyOf = [], ...rest } = schema;
  const [first = {}, second = {}, ...more] = isList(anyOf) ? anyOf.map(objectOf) : [];
  const { type, enum: words, ...others } = first;
  if (second['type'] !== 'null' || typeof type !== 'string' || more.length > 0) return schema;
  const withNull = words !== undefined && isList(words) && { enum: [...words, null] };
  return { ...rest, type: [type, 'null'], ...withNull, ...others };
}

/** Returns as many whole sentences as fit, or as many words of the first. */
function shortened(text: string, max: number): string {
  const [first = '', ...others] = text.split(/(?<=[.!?:])\s+/);
  if (first.length > max) return `${first.slice(0, first.lastIndexOf(' ', max - 1))} …`;
  let whole = first;
  for (const sentence of others) {
    if (whole.length + 1 + sentence.length > max) break;
    whole += ` ${sentence}`;
  }
  return whole;
}

/** Returns the components of a kind that a text refers to, and those that these refer to. */
function reachable(kind: string, all: WritableJson = {}, text: string): ApiDocument {
  const found: Record<string, WritableJson> = {};
  const texts = [text];
  for (const part of texts) {
    for (const [, name = ''] of part.matchAll(RegExp(`"#/components/${kind}/([^"]+)"`, 'g'))) {
      const component = objectOf(all)[name];
      if (component === undefined || name in found) continue;
      found[name] = small(component);
      texts.push(writeJson(found[name]));
    }
  }
  return found;
}
