import { Failure } from '../domain/failure.ts';
import { after, type Later } from '../domain/later.ts';
import type { Storage } from '../domain/storage.ts';
import { type Answer, JSON_TYPE } from '../http/answer.ts';
import { writeJson } from '../http/json.ts';
import { representationFor } from '../http/representation.ts';

/** What is served beside the interface, without a key: pages, and how the service is. */
export interface Site {
  /** The answer to a path outside `/v1`. Throws `route_not_found` and `method_not_allowed`. */
  serve(method: string, path: string, headers: Headers): Later<Answer>;
}

/** A page, or what makes it when it is asked for. */
export type Page = Answer | (() => Later<Answer>);

const READABLE = ['GET', 'HEAD'];

/** Puts the pages, by path, beside `/livez` and `/readyz`. */
export function createSite(
  pages: ReadonlyMap<string, Page>,
  storage: Storage,
  isDraining: () => boolean,
): Site {
  function serve(method: string, path: string, headers: Headers): Later<Answer> {
    const answer = answerFor(path);
    if (answer === undefined)
      throw new Failure('route_not_found', 'There is nothing at this path.');
    if (READABLE.includes(method)) {
      return after(answer(), (whole) => representationFor(whole, headers));
    }
    const message = `${method} is not allowed here; use ${READABLE.join(', ')}.`;
    throw new Failure('method_not_allowed', message, { allow: READABLE });
  }

  function answerFor(path: string): (() => Later<Answer>) | undefined {
    if (path === '/livez') return () => health(200, 'live');
    if (path === '/readyz') return ready;
    const page = pages.get(path);
    return typeof page === 'object' ? () => page : page;
  }

  function ready(): Later<Answer> {
    if (isDraining()) return health(503, 'stopping');
    return after(storage.ping(), () => health(200, 'ready'));
  }

  return { serve };
}

function health(status: number, state: string): Answer {
  return { status, body: writeJson({ status: state }), headers: { 'content-type': JSON_TYPE } };
}
