import type * as z from 'zod';
import type { QuotaStatus } from '../../domain/allowance.ts';
import type { Scope } from '../../domain/api-key.ts';
import type { Caller } from '../../domain/caller.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import type { Clock } from '../../domain/clock.ts';
import { type FailureCode, routeNotFound } from '../../domain/failure.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import type { Records } from '../../domain/records.ts';
import { jsonFromBytes } from '../../http/body.ts';
import type { WritableJson } from '../../http/json.ts';
import type { Query } from '../../http/query.ts';
import { parseBody, parsePath, parseQuery } from './check.ts';
import type { Deprecation } from './deprecation.ts';
import type { HeaderName } from './headers.ts';
import type { TagName } from './tags.ts';

export type Stability = 'stable' | 'beta' | 'experimental';
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What a handler works with besides its input. */
export interface HandlerServices {
  readonly storage: Records;
  readonly clock: Clock;
  /** The configured base address, ending in `/v1`: links are built from it, never from a Host. */
  readonly baseUrl: string;
}

/** What a handler gives back. Only the pipeline makes a `Response` of it. */
export interface Result {
  readonly status: 200 | 201 | 204;
  readonly value?: WritableJson;
  /**
   * What is kept of the value for a repeat of the request with the same Idempotency-Key, if that is
   * not all of it. The operation then has a `restore`.
   */
  readonly stored?: WritableJson;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the document says of the answer that means success. */
export type Success = SuccessWithBody | SuccessWithoutBody;

interface SuccessWithBody {
  readonly status: 200 | 201;
  readonly description: string;
  readonly schema: z.ZodType;
  /** What such an answer looks like: real animals, not `string`. */
  readonly example: WritableJson;
  /** Header fields of this answer besides those of every answer. */
  readonly headers: readonly HeaderName[];
}

interface SuccessWithoutBody {
  readonly status: 204;
  readonly description: string;
  readonly headers: readonly HeaderName[];
}

/** Failures with what the service says of each, such as `There is no animal with this id.` */
export type OwnFailures = Readonly<Partial<Record<FailureCode, string>>>;

/** Who asks, where they stand, and under which condition they ask. */
export interface RequestFacts {
  readonly caller: Caller;
  readonly quota: QuotaStatus;
  /** When and by whom what is changed is changed. */
  readonly stamp: ChangeStamp;
  /** The If-Match field. */
  readonly ifMatch: string | null;
}

/** The input as it came: parts of the path, parameters and body, none of them checked. */
export interface RawInput extends RequestFacts {
  readonly path: readonly string[];
  readonly query: Query;
  readonly body: Uint8Array | undefined;
}

/** The input when its schemas have passed. */
export interface Input<Path, Parameters, Body> extends RequestFacts {
  readonly path: Path;
  readonly query: Parameters;
  readonly body: Body;
}

/** How a change is sent: JSON merge patch (RFC 7396), or as what most clients call it. */
export const MERGE_PATCH_TYPES = ['application/merge-patch+json', 'application/json'] as const;

/** How an operation takes its body. */
export interface BodyDefinition<B extends z.ZodType = z.ZodType> {
  readonly schema: B;
  readonly mediaTypes: readonly string[];
  readonly description: string;
  /** A body that the operation takes. */
  readonly example: WritableJson;
}

/** All that is known of an operation, except its handler. Router, checks, document and tests
 * read it here. Access and stability are required: nothing is open or stable by omission. */
export interface OperationDefinition {
  readonly id: string;
  readonly method: Method;
  /** Relative to the base address: `/pets/{petId}`. */
  readonly path: string;
  /** The scope that a key needs. */
  readonly access: Scope;
  readonly stability: Stability;
  /**
   * Whether its answer depends on the target and the records alone, so that it may be kept ready
   * for the next one who asks, until a record changes.
   */
  readonly cacheable?: boolean;
  /** Whether it costs no allowance and answers over the limit too. */
  readonly unmetered?: boolean;
  readonly tag: TagName;
  readonly summary: string;
  readonly description: string;
  readonly deprecation?: Deprecation;
  readonly success: Success;
  /** Whether a page of the document must offer no panel that sends requests of this kind. */
  readonly hideTryItPanel?: boolean;
  /**
   * The failures that are this operation's own, with their messages. Those that follow from what
   * stands here anyway (a body, parameters, a deprecation) and those that any request can meet
   * are not named: see openapi/failures.ts.
   */
  readonly failures: OwnFailures;
  readonly pathParameters?: z.ZodObject;
  readonly queryParameters?: z.ZodObject;
  readonly body?: BodyDefinition;
}

/** Whether repeated requests are recognised by their Idempotency-Key: other methods are idempotent. */
export function takesIdempotencyKey({ method }: OperationDefinition): boolean {
  return method === 'POST';
}

/** Whether an operation changes a record that exists, and so can be made conditional on its ETag. */
export function takesIfMatch({ method }: OperationDefinition): boolean {
  return method === 'PATCH' || method === 'DELETE';
}

/** An operation as the pipeline runs it. */
export interface Operation extends OperationDefinition {
  run(input: RawInput, services: HandlerServices): MaybePromise<Result>;
  /** Completes a value of which only a part was kept. */
  readonly restore?: Restore;
}

/** Makes the value that answers a repeated request out of the JSON text that was kept. */
export type Restore = (
  stored: string,
  asking: RequestFacts,
  services: HandlerServices,
) => MaybePromise<WritableJson>;

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;

/** An operation as its file writes it down: facts, schemas, and a handler typed by them. */
interface Definition<P, Q, B> extends OperationDefinition {
  readonly pathParameters?: P & z.ZodObject;
  readonly queryParameters?: Q & z.ZodObject;
  readonly body?: BodyDefinition<B & z.ZodType>;
  /** The failure for a path parameter that cannot name anything. */
  readonly pathFailure?: FailureCode;
  readonly restore?: Restore;
  handle(
    input: Input<Parsed<P>, Parsed<Q>, Parsed<B>>,
    services: HandlerServices,
  ): MaybePromise<Result>;
}

/**
 * Turns a definition into an operation. The input is checked in the order of the interface: path,
 * query, body. Handlers see what the schemas give, with its types.
 */
export function defineOperation<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(definition: Definition<P, Q, B>): Operation {
  const { handle, pathParameters, queryParameters, body, pathFailure, ...facts } = definition;
  const pathCode = pathFailure ?? 'route_not_found';
  const pathMessage = facts.failures[pathCode] ?? routeNotFound().message;

  function run(raw: RawInput, services: HandlerServices): MaybePromise<Result> {
    const input = {
      ...raw,
      path: pathParameters && parsePath(pathParameters, raw.path, pathCode, pathMessage),
      query: queryParameters && parseQuery(queryParameters, raw.query),
      body: body && parseBody(body.schema, jsonFromBytes(raw.body ?? new Uint8Array(0))),
    };
    // Path, query and body are what `Parsed` says: a schema's output where there is a schema, else undefined.
    return handle(input as Input<Parsed<P>, Parsed<Q>, Parsed<B>>, services);
  }

  return {
    ...facts,
    ...(pathParameters && { pathParameters }),
    ...(queryParameters && { queryParameters }),
    ...(body && { body }),
    run,
  };
}
