import type { Precondition } from '../../domain/change-stamp.ts';
import { Failure } from '../../domain/failure.ts';
import { entityTag, matches } from '../../http/conditional.ts';
import { type WritableJson, writeJson } from '../../http/json.ts';

/** The failure of a change that is based on an older version of the record. */
export function preconditionFailed(): Failure {
  return new Failure(
    'precondition_failed',
    'It has changed since you read it: read it again, then repeat your change.',
  );
}

/** The entity tag of a single record, as the answers that show nothing else carry it. */
export function tagOf(value: WritableJson): string {
  return entityTag(writeJson(value));
}

/**
 * What If-Match asks of a record before it is changed: that it still looks as the client saw it.
 * Each of `views` gives what the interface shows of it to somebody. Throws `precondition_failed`.
 */
export function requireMatch<T>(
  field: string | null,
  ...views: readonly ((record: T) => WritableJson)[]
): Precondition<T> {
  return (current) => {
    if (field === null || views.some((view) => matches(field, tagOf(view(current))))) return;
    throw preconditionFailed();
  };
}
