import type * as z from 'zod';
import type { Scope } from '../../domain/api-key.ts';
import { Failure, type FailureCode, routeNotFound } from '../../domain/failure.ts';
import { int64FromText } from '../../domain/int64.ts';
import { jsonFromBytes } from '../../http/body.ts';
import type { WritableJson } from '../../http/json.ts';
import { type PathSchema, parseBody, parseQuery } from './check.ts';
import type { HandlerServices } from './handler-services.ts';
import type { HeaderName } from './headers.ts';
import type { Input, RawInput, RequestFacts } from './request-input.ts';
import type { TagName } from './tags.ts';

export type { HandlerServices };

/** The version of the interface. `/v1` in the base URL is its first part. */
export const INTERFACE_VERSION = '1.0.0';

type Stability = 'stable' | 'beta' | 'experimental';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The result of a handler. Only the pipeline creates a `Response` from it. */
export interface Result {
  /** Replaces the status of success in the document. */
  readonly status?: 200;
  readonly value?: WritableJson;
  /** The value as JSON text, if it was already written. */
  readonly json?: string;
  /**
   * The part of the value to store for a retry with the same Idempotency-Key, if not all of it. The
   * operation then has a `restore`.
   */
  readonly stored?: WritableJson;
  /**
   * Runs after the transaction, which must not wait for anything else, and returns what the records do not hold.
   * Does not run for a retry.
   */
  complete?(): Promise<Omit<Result, 'complete'> | undefined>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The successful response in the document. */
type Success = SuccessWithBody | SuccessWithoutBody;

interface SuccessWithBody {
  readonly status: 200 | 201 | 202;
  readonly description: string;
  readonly schema: z.ZodType;
  /** A realistic example: real animals, not `string`. */
  readonly example: WritableJson;
  /** An example of the same as `text/csv`, if the operation returns that too. */
  readonly csv?: string;
  /** Describes a 200 with the same body: nothing had to be made. */
  readonly unchanged?: string;
  /** Headers of this response besides those of every response. */
  readonly headers: readonly HeaderName[];
}

interface SuccessWithoutBody {
  readonly status: 204;
  readonly description: string;
  readonly headers: readonly HeaderName[];
}

/** Failures with their messages, such as `There is no animal with this id.` */
type OwnFailures = Readonly<Partial<Record<FailureCode, string>>>;

/** The media types of a change: JSON merge patch (RFC 7396), and what most clients send instead. */
export const MERGE_PATCH_TYPES = ['application/merge-patch+json', 'application/json'] as const;

/** The request body of an operation. */
export interface BodyDefinition<B extends z.ZodType = z.ZodType> {
  readonly schema: B;
  readonly mediaTypes: readonly string[];
  readonly description: string;
  readonly example: WritableJson;
  /** Set if the body may be left out, which means `{}`. */
  readonly optional?: true;
}

/** The deprecation of an operation: when, until when, and what to use instead. */
export interface Deprecation {
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  readonly sunset: number;
  /** Path of the replacement, relative to the base address. */
  readonly successor: string;
  /** Page about the deprecation, relative to the root of the server. */
  readonly page: string;
}

/** The file that an operation takes as its body. It is stored on disk as it arrives. */
export interface UploadDefinition {
  /** Each kind has places of its own while it arrives. */
  readonly kind: 'photos' | 'imports';
  /** An example by media type; undefined if it is no text. Forms, and bytes without a type, are taken beside these. */
  readonly examples: Readonly<Record<string, string | undefined>>;
  readonly bytesMax: number;
  readonly description: string;
  /** Throws a failure of its own for a type that is known not to be taken, before the file is sent. */
  refused?(contentType: string): void;
}

/**
 * The facts of an operation, without its handler: routing, validation, document and tests read them
 * here. Access and stability are required, so nothing is open or stable by omission.
 */
export interface OperationDefinition {
  readonly id: string;
  readonly method: Method;
  /** Relative to the base address: `/pets/{petId}`. */
  readonly path: string;
  /** The scope that a key needs. */
  readonly access: Scope;
  readonly stability: Stability;
  /**
   * Set if the response depends only on the target, the records and the day, so that it may be cached
   * until a record changes.
   */
  readonly cacheable?: boolean;
  /** Set if a request may wait so long that its key, and where the data is, are checked again afterwards. */
  readonly waits?: boolean;
  /** Pages send these requests by themselves, so they do not keep somebody signed in. */
  readonly background?: boolean;
  /** Set if the operation gives access by a key: somebody in the console must have signed in just before. */
  readonly grantsAccess?: boolean;
  /** Requests are not charged, and work over the limit too. */
  readonly unmetered?: boolean;
  readonly tag: TagName;
  readonly summary: string;
  readonly description: string;
  readonly deprecation?: Deprecation;
  readonly success: Success;
  /** Hides the panel of the reference page that sends requests. */
  readonly hideTryItPanel?: boolean;
  /**
   * The failures specific to this operation, with their messages. Failures that follow from the
   * other facts (a method, body, parameters, deprecation) and those of any request are derived: see
   * openapi/failures.ts.
   */
  readonly failures: OwnFailures;
  readonly pathParameters?: PathSchema;
  readonly queryParameters?: z.ZodObject;
  readonly body?: BodyDefinition;
  /** In place of a body. */
  readonly upload?: UploadDefinition;
}

/** Returns whether the operation takes an Idempotency-Key: other methods are idempotent. */
export function takesIdempotencyKey({ method }: OperationDefinition): boolean {
  return method === 'POST';
}

/** Returns whether the operation takes If-Match: those that change an existing record do. */
export function takesIfMatch({ method }: OperationDefinition): boolean {
  return method === 'PATCH' || method === 'DELETE';
}

/** An operation as the pipeline runs it. */
export interface Operation extends OperationDefinition {
  /**
   * Does what takes long, such as DNS or decoding, before `run` and outside its transaction. A retry whose result
   * is stored is not prepared.
   */
  prepare?(input: RawInput, services: HandlerServices): Promise<void>;
  /** Reads the input before it is prepared or run, so that nobody sends a large file in vain. */
  check(input: RawInput): void;
  run(input: RawInput, services: HandlerServices): Promise<Result>;
  readonly restore?: Restore;
}

/**
 * Returns the value of the response to a retry, from the JSON text that was stored. Throws if the
 * first response must not be repeated.
 */
export type Restore = (
  stored: string,
  facts: RequestFacts,
  services: HandlerServices,
) => Promise<WritableJson>;

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;
type ParsedInput<P, Q, B> = Input<Parsed<P>, Parsed<Q>, Parsed<B>>;

/** The definition of an operation: facts, schemas, and a handler typed by them. */
interface Definition<P, Q, B> extends Omit<OperationDefinition, 'id' | 'failures'> {
  readonly pathParameters?: P & PathSchema;
  readonly queryParameters?: Q & z.ZodObject;
  readonly body?: BodyDefinition<B & z.ZodType>;
  readonly failures?: OwnFailures;
  /** The failure for an id in the path that is malformed, or that no record has. */
  readonly missing?: Missing;
  readonly restore?: Restore;
  /** See `Operation`. */
  prepare?(input: ParsedInput<P, Q, B>, services: HandlerServices): Promise<void>;
  handle(input: ParsedInput<P, Q, B>, services: HandlerServices): Promise<Result>;
}

/**
 * Creates an operation from its definition. The input is validated in the order that the interface
 * promises: path, query, body. Handlers get the output of the schemas, with its types.
 */
export function defineOperation<
  P extends PathSchema | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(definition: Definition<P, Q, B>): Omit<Operation, 'id'> {
  const { handle, prepare, missing, ...facts } = definition;
  const { pathParameters, queryParameters, body } = facts;
  const { code, message } = missing ?? routeNotFound();
  const names = Object.keys(pathParameters?.shape ?? {});

  /** Takes only the names from the schema: parsing with it would cost 1 µs more. */
  function parsePath(values: readonly string[]): Record<string, bigint> {
    const ids: Record<string, bigint> = {};
    for (let i = 0; i < names.length; i++) {
      const id = int64FromText(values[i] ?? '');
      if (id === undefined) throw new Failure(code, message);
      ids[names[i] ?? ''] = id;
    }
    return ids;
  }

  /** Reads path, query and body, the first time that anybody asks for them. */
  function parsed(raw: RawInput): ParsedInput<P, Q, B> {
    const { caller, quota, stamp, ifMatch, client, upload } = raw;
    raw.parsed ??= {
      path: parsePath(raw.path),
      query: queryParameters && parseQuery(queryParameters, raw.query),
      body: body && parseBody(body.schema, jsonFromBytes(raw.body ?? new Uint8Array(0))),
    };
    // They are what `Parsed` says: all names of the schema of the path, and the output of the other schemas.
    const { path, query, body: sent } = raw.parsed as ParsedInput<P, Q, B>;
    // Named one by one: a spread costs 0.4 µs.
    return { caller, quota, stamp, ifMatch, client, upload, path, query, body: sent };
  }

  return {
    ...facts,
    failures: { ...missing?.failure, ...facts.failures },
    ...(prepare && { prepare: (raw, services) => prepare(parsed(raw), services) }),
    check: (raw) => void parsed(raw),
    run: (raw, services) => handle(parsed(raw), services),
  };
}

/** Returns operations by their ids as a list, in the order of the document. */
export function operationsNamed(
  operations: Readonly<Record<string, Omit<Operation, 'id'>>>,
): readonly Operation[] {
  return Object.entries(operations).map(([id, operation]) => ({ id, ...operation }));
}

/** What is said of an id that no record of a kind has. */
export class Missing {
  readonly code: FailureCode;
  readonly message: string;

  constructor(code: FailureCode, kind: string) {
    this.code = code;
    this.message = `There is no ${kind} with this id.`;
  }

  /** As an entry of the failures of an operation. */
  get failure(): Readonly<Partial<Record<FailureCode, string>>> {
    return { [this.code]: this.message };
  }

  /** Returns what was found under an id. Throws if nothing was. */
  orThrow<T>(value: T | false | undefined): T {
    if (value === undefined || value === false) throw new Failure(this.code, this.message);
    return value;
  }
}
