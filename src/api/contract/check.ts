import type * as z from 'zod';
import { Failure } from '../../domain/failure.ts';
import { JsonNumber, type JsonValue } from '../../http/json.ts';
import type { Query } from '../../http/target.ts';
import { type Int64InPath, isListInQuery } from './request-fields.ts';

/** The parameters of a path, which are all ids. */
export type PathSchema = z.ZodObject<Readonly<Record<string, Int64InPath>>>;

/**
 * Returns the parsed query. Unknown parameters are ignored. A known one must not be empty, and only
 * a list may be repeated. Throws `invalid_parameter` with all problems.
 */
export function parseQuery<S extends z.ZodObject>(schema: S, query: Query): z.output<S> {
  const named: Record<string, string | readonly string[]> = {};
  const problems: string[] = [];
  for (const name in schema.shape) {
    const values = query.get(name);
    const [value] = values ?? [];
    if (values === undefined || value === undefined) continue;
    const isList = isListInQuery(schema.shape[name]);
    if (values.length > 1 && !isList) problems.push(`${name} must be given only once`);
    else if (values.includes('')) problems.push(`${name} must not be empty: leave it out instead`);
    else named[name] = isList ? values : value;
  }
  problems.push(...bracketProblems(schema, query));
  const checked = schema.safeParse(named);
  if (checked.success && problems.length === 0) return checked.data;
  throw new Failure('invalid_parameter', sentence([...problems, ...problemsOf(checked.error)]));
}

/**
 * Some libraries write a list as `status[]=a` or `status[0]=a`. Ignored like other unknown parameters, it would list
 * everything.
 */
function* bracketProblems({ shape }: z.ZodObject, query: Query): Generator<string> {
  const told = new Set<string>();
  for (const sent of query.keys()) {
    const end = sent.indexOf('[');
    const name = sent.slice(0, end);
    if (end < 1 || !sent.endsWith(']') || !Object.hasOwn(shape, name) || told.has(name)) continue;
    told.add(name);
    const form = isListInQuery(shape[name])
      ? `repeat it for each value, as ${name}=…&${name}=…`
      : `send ${name}=…`;
    yield `${name} must be written without brackets: ${form}`;
  }
}

/** Returns the parsed JSON body. Throws `invalid_body` with all problems. */
export function parseBody<S extends z.ZodType>(schema: S, body: JsonValue): z.output<S> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw notAnObject();
  if (body instanceof JsonNumber) throw notAnObject();
  const checked = schema.safeParse(body);
  if (!checked.success) throw new Failure('invalid_body', sentence(problemsOf(checked.error)));
  return checked.data;
}

function notAnObject(): Failure {
  return new Failure('invalid_body', 'The request body must be a JSON object.');
}

/** The first problem of each member: what else is said of it often follows from that. */
function problemsOf(error: z.ZodError | undefined): string[] {
  const problems = new Map<string, string>();
  for (const { path, message } of error?.issues ?? []) {
    const name = path.join('.');
    if (!problems.has(name)) problems.set(name, `${name} ${message}`.trimStart());
  }
  return [...problems.values()];
}

function sentence(problems: readonly string[]): string {
  return `${problems.join('; ')}.`;
}
