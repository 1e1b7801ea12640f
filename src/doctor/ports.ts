import { SECOND_MS } from '../domain/clock.ts';
import type { Config } from '../settings/config.ts';
import { advice, type Finding, failed, passed } from './finding.ts';

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
  if (problem === undefined) return passed('ports', `${where} is free.`);
  if (problem !== 'EADDRINUSE') return unusable(where, problem);
  const live = await textAt(host, port, '/livez');
  if (live?.body === '{"status":"live"}') {
    const ready = await textAt(host, port, '/readyz');
    if (ready?.status === 200)
      return passed('ports', `${where} is served by a petstore that is ready.`);
    const todo = 'See the other findings here and its log for the cause.';
    return failed(
      'ports',
      `${where} is served by a petstore that is not ready: ${ready?.body ?? ''}`,
      todo,
    );
  }
  const todo = 'Choose a different port with --port, or stop that program.';
  return failed('ports', `${where} is used by another program.`, todo);
}

async function inspectOperationsPort(
  host: string,
  port: number,
  explicit: boolean,
): Promise<Finding> {
  const where = `Port ${port} of ${host}`;
  const problem = bindingProblem(host, port);
  if (problem === undefined) return passed('ports', `${where} is free for the metrics.`);
  const metrics = problem === 'EADDRINUSE' ? await textAt(host, port, '/metrics') : undefined;
  if (metrics?.body.includes('petstore_build_info')) {
    return passed('ports', `${where} serves the metrics of a petstore.`);
  }
  const found = `${where} cannot be used for the metrics (${problem}).`;
  const todo = 'Choose a different port with --ops-port, or off for none.';
  return explicit ? failed('ports', found, todo) : advice('ports', found, todo);
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

function unusable(where: string, problem: string): Finding {
  if (problem === 'EACCES') {
    const todo = 'Choose one above 1023, or let systemd or a proxy listen on it.';
    return failed('ports', `${where} needs more privileges.`, todo);
  }
  const todo = 'Set PETSTORE_HOST to an address of this machine, or to 0.0.0.0 for all.';
  return failed('ports', `${where} cannot be used (${problem}).`, todo);
}

/** Requests a path from a server on this machine, over https or http. Undefined without a response. */
async function textAt(host: string, port: number, path: string): Promise<TextResponse | undefined> {
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const target = `${own.includes(':') ? `[${own}]` : own}:${port}${path}`;
  const [plain, encrypted] = await Promise.all([
    responseTo(`http://${target}`),
    responseTo(`https://${target}`),
  ]);
  return encrypted ?? plain;
}

interface TextResponse {
  readonly status: number;
  readonly body: string;
}

async function responseTo(url: string): Promise<TextResponse | undefined> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(RESPONSE_MS),
      redirect: 'manual',
      // The request holds no secret, and the certificate is for another name than this address.
      tls: { rejectUnauthorized: false },
    });
    return { status: response.status, body: await response.text() };
  } catch {
    return undefined;
  }
}
