import type { Config } from '../settings/config.ts';
import { sharePort } from '../settings/values.ts';
import { EXPOSITION_TYPE, type Metric, writeExposition } from '../telemetry/exposition.ts';
import type { Log } from '../telemetry/log.ts';
import { addressOf, bind, type Socket } from './listener.ts';

/** The path of the metrics. */
const METRICS_PATH = '/metrics';

const READABLE = 'GET, HEAD';

/** The configured operations port cannot be used. */
class UnusableOperationsPort extends Error {
  constructor(problem: string, cause: unknown) {
    super(`${problem}: choose another one with --ops-port, or off for none`, { cause });
  }
}

/**
 * Serves the metrics on the operations port. Returns undefined if metrics are off, or if the default
 * port is taken, which is only a warning. Throws `UnusableOperationsPort` for a configured port.
 */
export function openOperationsPort(
  config: Config,
  metrics: () => readonly Metric[],
  log: Log,
): Socket | undefined {
  const { number, explicit } = config.opsPort;
  if (number === undefined) return undefined;
  try {
    // The operations port is bound first, so it would take the port from the API.
    if (sharePort(config)) throw new Error('--port is the same');
    const { opsHost: hostname, idleTimeoutMs } = config;
    const socket = bind({ hostname, port: number, idleTimeoutMs });
    socket.reload({
      routes: { [METRICS_PATH]: createScrape(metrics) },
      fetch: () => new Response(`There is ${METRICS_PATH} here.\n`, { status: 404 }),
    });
    return socket;
  } catch (error) {
    const problem = `metrics cannot be served on ${config.opsHost}, port ${number}`;
    if (explicit) throw new UnusableOperationsPort(problem, error);
    log.warn(`${problem}; metrics are off: set PETSTORE_OPS_PORT to another port, or to off`);
    return undefined;
  }
}

/** Returns the address of the metrics. */
export function metricsUrl({ opsHost }: Config, { port = 0 }: Socket): string {
  return addressOf('http', opsHost, port) + METRICS_PATH;
}

/** Creates the handler of requests for the metrics. */
function createScrape(metrics: () => readonly Metric[]): (request: Request) => Promise<Response> {
  return async ({ method }) => {
    if (method !== 'GET' && method !== 'HEAD') {
      return new Response(`use ${READABLE}\n`, { status: 405, headers: { allow: READABLE } });
    }
    return new Response(writeExposition(metrics()), {
      headers: { 'content-type': EXPOSITION_TYPE, 'cache-control': 'no-store' },
    });
  };
}
