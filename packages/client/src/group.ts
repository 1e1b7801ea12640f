import { PetstoreError } from './error.ts';
import { writeJson } from './json.ts';
import { List } from './list.ts';
import type { Call, CallOptions, Reply, Transport } from './transport.ts';

/** Options of a call that adds something. */
export interface PostOptions extends CallOptions {
  /** Names the call: with the same key, it is done once in 24 hours, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a call that changes or removes a record. */
export interface ChangeOptions<T> extends CallOptions {
  /**
   * The record as it was read. If it has changed since, the call throws `precondition_failed` and
   * changes nothing.
   */
  readonly ifMatch?: T | undefined;
}

/** The entity tags of the records that this client has returned. */
const tags = new WeakMap<object, string>();

/** The operations of one resource. The generated groups are made of these calls. */
export class Group {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  protected listAt<T>(path: string, query: object, options?: CallOptions): List<T> {
    return new List<T>(this.transport, path, query, options);
  }

  protected readAt<T>(target: string, options?: CallOptions): Promise<T> {
    return this.#record<T>({ method: 'GET', target }, options);
  }

  /** Sends a POST; `safely` gives it an idempotency key of its own, so that it may be retried. */
  protected postTo<T>(
    target: string,
    body: unknown,
    { idempotencyKey, ...options }: PostOptions = {},
    safely = false,
  ): Promise<T> {
    const key = idempotencyKey ?? (safely ? randomKey() : undefined);
    return this.#record<T>({ method: 'POST', target, body, idempotencyKey: key }, options);
  }

  /** Sends a PATCH or DELETE. `readAgain` reads the record, if its tag is not known. */
  protected async changeAt<T, R extends object = object>(
    method: string,
    target: string,
    body: unknown,
    { ifMatch: record, ...options }: ChangeOptions<R> = {},
    readAgain?: () => Promise<R>,
  ): Promise<T> {
    const ifMatch = record && readAgain ? await tagFor(record, readAgain) : undefined;
    return this.#record<T>({ method, target, body, ifMatch }, options);
  }

  async #record<T>(call: Call, options?: CallOptions): Promise<T> {
    const { body, headers } = await this.transport.send(call, options);
    // The OpenAPI document promises this form.
    return tagged(body, headers) as T;
  }
}

/** Remembers the tag that came with a record. */
export function tagged<T>(record: T, headers: Reply['headers']): T {
  const tag = headers.get('etag');
  if (tag !== null && typeof record === 'object' && record !== null) tags.set(record, tag);
  return record;
}

/** The tag of a record. One out of a list came without, so it is read again and compared. */
async function tagFor<T extends object>(record: T, readAgain: () => Promise<T>): Promise<string> {
  const known = tags.get(record);
  if (known !== undefined) return known;
  const current = await readAgain();
  const tag = tags.get(current);
  if (tag === undefined || !isSame(record, current)) {
    throw new PetstoreError('The record has changed since it was read. Read it again.', {
      code: 'precondition_failed',
      status: 412,
    });
  }
  return tag;
}

/**
 * Returns whether a record still has what was read of it. The profile in a listing lacks the private
 * fields that a key with `write` gets.
 */
function isSame<T extends object>(record: T, current: T): boolean {
  const now = new Map(Object.entries(current));
  return Object.entries(record).every(
    ([name, value]) => writeJson(value) === writeJson(now.get(name)),
  );
}

function randomKey(): string {
  // `crypto.randomUUID` is missing on pages without https.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
