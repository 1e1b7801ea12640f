import type { Precondition } from '../../domain/change-stamp.ts';
import { Failure } from '../../domain/failure.ts';
import { type WritableJson, writeJson } from '../../http/json.ts';
import { entityTag, matches, matchesWeakly } from '../../http/response.ts';

/** The failure of a change that is based on an older version of the record. */
export function preconditionFailed(): Failure {
  return new Failure(
    'precondition_failed',
    'It has changed since you read it: read it again, then repeat your change.',
  );
}

/** The failure of a tag that a proxy has made weak, since it compressed the response. If-Match needs a strong one. */
function weakTag(): Failure {
  return new Failure(
    'precondition_failed',
    'It has not changed, but its tag came as a weak one, with W/: a proxy that compresses responses adds that. Send the tag without W/, or read it again with "Accept-Encoding: identity".',
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
    if (ifMatch === null) return;
    requireTag(
      ifMatch,
      views.map((view) => tagOf(view(current))),
    );
  };
}

/** Throws `precondition_failed` unless If-Match has one of the tags that a record has now. */
export function requireTag(ifMatch: string, tags: readonly string[]): void {
  if (tags.some((tag) => matches(ifMatch, tag))) return;
  throw tags.some((tag) => matchesWeakly(ifMatch, tag)) ? weakTag() : preconditionFailed();
}
