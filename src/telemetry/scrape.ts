import type { MaybePromise } from '../domain/maybe-promise.ts';
import { EXPOSITION_TYPE, type Metric, writeExposition } from './exposition.ts';

/** The path of the metrics. */
export const METRICS_PATH = '/metrics';

const READABLE = 'GET, HEAD';

/** Creates the handler of requests for the metrics. */
export function createScrape(
  metrics: () => MaybePromise<readonly Metric[]>,
): (request: Request) => Promise<Response> {
  return async ({ method }) => {
    if (method !== 'GET' && method !== 'HEAD') {
      return new Response(`use ${READABLE}\n`, { status: 405, headers: { allow: READABLE } });
    }
    return new Response(writeExposition(await metrics()), {
      headers: { 'content-type': EXPOSITION_TYPE, 'cache-control': 'no-store' },
    });
  };
}
