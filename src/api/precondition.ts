import type { Precondition } from '../domain/edit.ts';
import { Failure } from '../domain/failure.ts';
import { entityTag, matches } from '../http/conditional.ts';
import { type WritableJson, writeJson } from '../http/json.ts';

/** What is said where a record has changed. */
export const CHANGED_SINCE =
  'It has changed since you read it: read it again and repeat the change on that.';

/**
 * What If-Match asks of a record before it is changed: that it still looks as the client saw it.
 * `view` gives what the interface shows of it. Throws `precondition_failed`.
 */
export function ifMatches<T>(
  field: string | null,
  view: (record: T) => WritableJson,
): Precondition<T> {
  return (current) => {
    if (field === null || matches(field, entityTag(writeJson(view(current))))) return;
    const message =
      'It has changed since you read it: read it again and repeat the change on that.';
    throw new Failure('precondition_failed', message);
  };
}
