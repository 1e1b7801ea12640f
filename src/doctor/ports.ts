import { get, type IncomingMessage } from 'node:http';
import { get as getSecurely } from 'node:https';
import { SECOND_MS } from '../domain/clock.ts';
import type { Config } from '../settings/config.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad } = findingsOf('ports');
const RESPONSE_MS = 2 * SECOND_MS;

/** Checks that the ports are free, or already used by a petstore. */
export async function inspectPorts(config: Partial<Config>): Promise<Finding[]> {
  const { host, port, opsHost, opsPort } = config;
  const findings: Promise<Finding>[] = [];
  if (host !== undefined && port !== undefined) findings.push(inspectPort(host, port));
  if (opsHost !== undefined && opsPort?.number !== undefined) {
    findings.push(inspectOperationsPort(opsHost, opsPort.number, opsPort.explicit));
  }
  return await Promise.all(findings);
}

async function inspectPort(host: string, port: number): Promise<Finding> {
  const where = `Port ${port} of ${host}`;
  const problem = bindingProblem(host, port);
  if (problem === undefined) return good(`${where} is free.`);
  if (problem === 'EACCES') {
    return bad(`${where} needs more privileges.
      → Choose one above 1023, or let systemd or a proxy listen on it.`);
  }
  if (problem !== 'EADDRINUSE') {
    return bad(`${where} cannot be used (${problem}).
      → Set PETSTORE_HOST to an address of this machine, or to 0.0.0.0 for all.`);
  }
  const live = await responseAt(host, port, '/livez');
  if (live?.text !== '{"status":"live"}') {
    return bad(`${where} is used by another program.
      → Choose a different port with --port, or stop that program.`);
  }
  const ready = await responseAt(host, port, '/readyz');
  if (ready?.status === 200) return good(`${where} is served by a petstore that is ready.`);
  return bad(`${where} is served by a petstore that is not ready: ${ready?.text ?? ''}
    → See the other findings here and its log for the cause.`);
}

async function inspectOperationsPort(
  host: string,
  port: number,
  explicit: boolean,
): Promise<Finding> {
  const where = `Port ${port} of ${host}`;
  const problem = bindingProblem(host, port);
  if (problem === undefined) return good(`${where} is free for the metrics.`);
  const metrics = problem === 'EADDRINUSE' ? await responseAt(host, port, '/metrics') : undefined;
  if (metrics?.text.includes('petstore_build_info')) {
    return good(`${where} serves the metrics of a petstore.`);
  }
  const judge = explicit ? bad : advice;
  return judge(`${where} cannot be used for the metrics (${problem}).
    → Choose a different port with --ops-port, or off for none.`);
}

/** Returns the system's error code if an address cannot be used. */
function bindingProblem(hostname: string, port: number): string | undefined {
  try {
    Bun.listen({ hostname, port, socket: { data() {} } }).stop(true);
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown address';
  }
}

/** Requests a path from a server on this machine, over https or http. Undefined without a response. */
async function responseAt(host: string, port: number, path: string) {
  const [plain, encrypted] = await Promise.all(
    (['http', 'https'] as const).map((scheme) =>
      ask(ownUrl(scheme, host, port, path), RESPONSE_MS).catch(() => undefined),
    ),
  );
  return encrypted ?? plain;
}

/** Addresses that stand for all of the machine, of which one answers here. */
const OWN: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The URL of a path of a server that listens on this machine. */
export function ownUrl(scheme: 'http' | 'https', host: string, port: number, path: string): string {
  const address = OWN[host] ?? host;
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}${path}`;
}

/**
 * Asks a server on this machine, without a key. Directly: `fetch` would go through the proxy that HTTP_PROXY names. Its
 * certificate names the public host.
 */
export async function ask(url: string, timeoutMs: number) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const signal = AbortSignal.timeout(timeoutMs);
  const request = url.startsWith('https:')
    ? getSecurely(url, { rejectUnauthorized: false, signal }, resolve)
    : get(url, { signal }, resolve);
  const late = new Error(`nothing came within ${timeoutMs / SECOND_MS} s`);
  request.on('error', (error) => reject(signal.aborted ? late : error));
  const response = await promise;
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, text: text.trim() };
}
