import type * as z from 'zod';
import type { WritableJson } from '../../http/json.ts';
import { JSON_TYPE } from '../../http/response.ts';
import { type BodyDefinition, MERGE_PATCH_TYPES, type Missing, type Result } from './operation.ts';

/*
 * The bodies of operations: of requests, and of successful responses with the headers that their kind
 * has. An example is realistic: real animals, not `string`.
 */

/** Takes JSON. */
export function takes<B extends z.ZodType>(description: string, schema: B, example: WritableJson) {
  return { schema, mediaTypes: [JSON_TYPE], description, example } satisfies BodyDefinition<B>;
}

/** Takes a change of a record. */
export function changes<B extends z.ZodType>(
  description: string,
  schema: B,
  example: WritableJson,
) {
  return {
    schema,
    mediaTypes: MERGE_PATCH_TYPES,
    description,
    example,
  } satisfies BodyDefinition<B>;
}

/** Shows a record, or what else the schema describes. */
export function shows(description: string, schema: z.ZodType, example: WritableJson) {
  return { status: 200, description, schema, example, headers: ['ETag'] } as const;
}

/** Creates a record and shows it. */
export function creates(description: string, schema: z.ZodType, example: WritableJson) {
  return { status: 201, description, schema, example, headers: ['Location', 'ETag'] } as const;
}

/** The result of an operation that creates a record, which is then found under its id in a collection. */
export function creating(
  collection: string,
  value: { readonly [name: string]: WritableJson | undefined; readonly id: bigint | number },
): Result {
  return { value, headers: { location: `${collection}/${value.id}` } };
}

/** Shows a page of a list. */
export function lists(description: string, schema: z.ZodType, example: WritableJson) {
  return { status: 200, description, schema, example, headers: ['Link', 'ETag'] } as const;
}

/** The result of an operation that shows what was found under an id. Throws if nothing was. */
export async function showing<T>(
  missing: Missing,
  found: Promise<T | undefined>,
  view: (record: T) => WritableJson,
): Promise<Result> {
  return { value: view(missing.orThrow(await found)) };
}

/** The result of an operation that removes what an id names. Throws if there was nothing. */
export async function removing(
  missing: Missing,
  removed: Promise<boolean | object | undefined>,
): Promise<Result> {
  missing.orThrow(await removed);
  return {};
}

/** Removes a record and shows nothing. */
export function removes(description: string) {
  return { status: 204, description, headers: [] } as const;
}
