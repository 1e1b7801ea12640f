import type { Precondition } from '../../domain/change-stamp.ts';
import { Failure } from '../../domain/failure.ts';
import { entityTag, matches } from '../../http/conditional.ts';
import { type WritableJson, writeJson } from '../../http/json.ts';

/** What is said where a record has changed. */
export const CHANGED_SINCE =
  'It has changed since you read it: read it again and repeat the change on that.';

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
    throw new Failure('precondition_failed', CHANGED_SINCE);
  };
}
