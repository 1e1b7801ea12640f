import { Failure } from '../domain/failure.ts';
import { after, type Later } from '../domain/later.ts';
import type { Answer } from '../http/answer.ts';
import { representationFor } from '../http/representation.ts';
import type { Health } from './health.ts';

/** What is served beside the interface, without a key: pages, and how the service is. */
export interface Site {
  /** The answer to a path outside `/v1`. Throws `route_not_found` and `method_not_allowed`. */
  serve(method: string, path: string, headers: Headers): Later<Answer>;
}

/** A page, or what makes it when it is asked for. */
export type Page = Answer | (() => Later<Answer>);

const READABLE = ['GET', 'HEAD'];

/** Puts the pages, by path, beside `/livez` and `/readyz`. */
export function createSite(pages: ReadonlyMap<string, Page>, health: Health): Site {
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
    if (path === '/livez') return health.live;
    if (path === '/readyz') return health.ready;
    const page = pages.get(path);
    return typeof page === 'object' ? () => page : page;
  }

  return { serve };
}
