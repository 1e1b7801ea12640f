import { buildDocument } from '../../src/api/openapi/document.ts';
import { EXAMPLE_SERVERS } from '../../src/api/openapi/pages.ts';
import { operations } from '../../src/api/resources/operations.ts';
import { createSchemaCheck, type DocumentPart, parseExactly } from './schema-check.ts';

/** A request and its response. */
export interface SeenExchange {
  readonly method: string;
  /** Path and query, from the root of the server. */
  readonly target: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The document as served, built from the operations table. */
export const document = buildDocument(operations, EXAMPLE_SERVERS);
const problemsOf = createSchemaCheck(document);
const API_ROOT = '/v1';

/** Headers of transport and security, and standard headers with their usual meaning. */
const NOT_OF_THE_INTERFACE = new Set([
  'access-control-expose-headers',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
]);

/** The responses allowed where path and method match no operation. */
const OUTSIDE_OPERATIONS: ReadonlyMap<number, readonly string[]> = new Map([
  [400, ['invalid_request']],
  [401, ['missing_api_key', 'invalid_api_key']],
  [404, ['route_not_found']],
  [405, ['method_not_allowed']],
  [414, ['uri_too_long']],
  [429, ['rate_limit_minute', 'rate_limit_day', 'api_key_banned']],
  [500, ['internal_error']],
  [503, ['service_unavailable']],
]);

/** A member of a part of the document, with its reference followed. */
export function member(part: DocumentPart | undefined, name: string): DocumentPart | undefined {
  const value = part?.[name];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const found = value as DocumentPart; // Neither null nor a list.
  const { $ref } = found;
  return typeof $ref === 'string' ? followed($ref) : found;
}

function followed(reference: string): DocumentPart | undefined {
  const names = reference.replace('#/', '').split('/');
  return names.reduce<DocumentPart | undefined>((part, name) => member(part, name), document);
}

/** The operation that a request matches; fixed paths win over parameters. */
function operationOf(method: string, path: string): DocumentPart | undefined {
  const segments = decodedSegments(path.slice(API_ROOT.length));
  const templates = Object.keys(member(document, 'paths') ?? {}).filter((template) => {
    const parts = template.split('/');
    const fits = (part: string, i: number) =>
      part.startsWith('{') ? segments[i] !== '' : segments[i] === part;
    return parts.length === segments.length && parts.every(fits);
  });
  const template = templates.find((match) => !match.includes('{')) ?? templates[0];
  if (template === undefined) return undefined;
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  return member(member(member(document, 'paths'), template), verb);
}

/** A path that cannot be decoded matches nothing. */
function decodedSegments(path: string): string[] {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}

/** Every difference between a response under `/v1` and the document, in plain words. */
export function violationsOf(seen: SeenExchange): string[] {
  const [sent = ''] = seen.target.split('?');
  if (sent !== API_ROOT && !sent.startsWith(`${API_ROOT}/`)) return [];
  // A preflight is handled for the browser, before an operation is known.
  if (seen.method === 'OPTIONS' && seen.status === 204) return [];
  const operation = operationOf(seen.method, sent);
  const problems =
    operation === undefined ? outsideProblems(seen) : answerProblems(seen, operation);
  return problems.map((problem) => `${seen.method} ${sent}, ${seen.status}: ${problem}`);
}

/** Fails the test if the document does not allow the response. */
export function expectDocumented(seen: SeenExchange): void {
  const problems = violationsOf(seen);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

function answerProblems(seen: SeenExchange, operation: DocumentPart): string[] {
  const response = member(member(operation, 'responses'), String(seen.status));
  if (response === undefined) return ['the document does not know this status here'];
  return [
    ...headerProblems(seen, member(response, 'headers')),
    ...bodyProblems(seen, member(response, 'content')),
  ];
}

function headerProblems({ headers }: SeenExchange, declared: DocumentPart = {}): string[] {
  const problems: string[] = [];
  const known = new Set(Object.keys(declared).map((name) => name.toLowerCase()));
  for (const name of headers.keys()) {
    if (!known.has(name) && !NOT_OF_THE_INTERFACE.has(name)) {
      problems.push(`the document does not know the header ${name} here`);
    }
  }
  for (const name of Object.keys(declared)) {
    const header = member(declared, name);
    const value = headers.get(name);
    if (value === null) {
      if (header?.['required'] === true) problems.push(`the header ${name} is missing`);
      continue;
    }
    const { schema = {} } = header ?? {};
    const whole = member(header, 'schema')?.['type'] === 'integer' && /^-?\d+$/.test(value);
    for (const problem of problemsOf(schema, whole ? BigInt(value) : value)) {
      problems.push(`the header ${name} with "${value}": ${problem}`);
    }
  }
  return problems;
}

function bodyProblems(seen: SeenExchange, content: DocumentPart | undefined): string[] {
  const { method, headers, text } = seen;
  const type = headers.get('content-type');
  if (content === undefined) {
    return text === '' && type === null ? [] : ['the document knows no body here'];
  }
  const media = member(content, type?.replace('; charset=utf-8', '') ?? '');
  if (media === undefined) return [`the document does not know the media type ${type} here`];
  if (method === 'HEAD') return text === '' ? [] : ['HEAD has no body'];
  const body = type?.startsWith('text/csv') ? text : parseExactly(text);
  const problems = problemsOf(media['schema'] ?? {}, body);
  const codes = Object.keys(member(media, 'examples') ?? {});
  return [...problems, ...(codes.length > 0 ? codeProblems(seen, body, codes) : [])];
}

/** The examples of a failure are named after its codes: no other code may occur. */
function codeProblems(seen: SeenExchange, body: unknown, codes: readonly string[]): string[] {
  const { code, status } = Object(body);
  return [
    ...(codes.includes(String(code)) ? [] : [`the document does not know the code ${code} here`]),
    ...(String(status) === String(seen.status) ? [] : [`the body has the status ${status}`]),
  ];
}

function outsideProblems(seen: SeenExchange): string[] {
  const codes = OUTSIDE_OPERATIONS.get(seen.status);
  if (codes === undefined) return ['no operation is here that could answer so'];
  const declared = { ...member(followed('#/components/responses/Unavailable'), 'headers') };
  // Headers beyond the common ones depend on the code.
  delete declared['Retry-After'];
  const present = ['Allow', 'Retry-After', 'WWW-Authenticate'].filter((name) =>
    seen.headers.has(name),
  );
  const headers = Object.fromEntries(present.map((name) => [name, { schema: { type: 'string' } }]));
  const schema = { $ref: '#/components/schemas/Error' };
  const examples = Object.fromEntries(codes.map((code) => [code, {}]));
  return [
    ...headerProblems(seen, { ...declared, ...headers }),
    ...bodyProblems(seen, { 'application/json': { schema, examples } }),
  ];
}
