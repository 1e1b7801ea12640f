import type { Precondition } from '../../domain/change-stamp.ts';
import { Failure } from '../../domain/failure.ts';
import { type WritableJson, writeJson } from '../../http/json.ts';
import { entityTag, matches } from '../../http/response.ts';

/** The failure of a change that is based on an older version of the record. */
export function preconditionFailed(): Failure {
  return new Failure(
    'precondition_failed',
    'It has changed since you read it: read it again, then repeat your change.',
  );
}

/** Returns the entity tag of a single record: that of a response with nothing else in its body. */
export function tagOf(value: WritableJson): string {
  return entityTag(writeJson(value));
}

/**
 * Creates the precondition of If-Match: the record is still as the client saw it. Each of
 * `views` returns what some caller may see of it. The precondition throws `precondition_failed`.
 */
export function requireMatch<T>(
  ifMatch: string | null,
  ...views: readonly ((record: T) => WritableJson)[]
): Precondition<T> {
  return (current) => {
    if (ifMatch === null || views.some((view) => matches(ifMatch, tagOf(view(current))))) return;
    throw preconditionFailed();
  };
}
