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
    const todo = 'Choose one above 1023, or let systemd or a proxy listen on it.';
    return bad(`${where} needs more privileges.`, todo);
  }
  if (problem !== 'EADDRINUSE') {
    const todo = 'Set PETSTORE_HOST to an address of this machine, or to 0.0.0.0 for all.';
    return bad(`${where} cannot be used (${problem}).`, todo);
  }
  const live = await responseAt(host, port, '/livez');
  if (live?.body !== '{"status":"live"}') {
    const todo = 'Choose a different port with --port, or stop that program.';
    return bad(`${where} is used by another program.`, todo);
  }
  const ready = await responseAt(host, port, '/readyz');
  if (ready?.status === 200) return good(`${where} is served by a petstore that is ready.`);
  const found = `${where} is served by a petstore that is not ready: ${ready?.body ?? ''}`;
  return bad(found, 'See the other findings here and its log for the cause.');
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
  if (metrics?.body.includes('petstore_build_info')) {
    return good(`${where} serves the metrics of a petstore.`);
  }
  const todo = 'Choose a different port with --ops-port, or off for none.';
  return (explicit ? bad : advice)(`${where} cannot be used for the metrics (${problem}).`, todo);
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
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const target = `${own.includes(':') ? `[${own}]` : own}:${port}${path}`;
  const [plain, encrypted] = await Promise.all(
    ['http', 'https'].map(async (scheme) => {
      try {
        const response = await fetch(`${scheme}://${target}`, {
          signal: AbortSignal.timeout(RESPONSE_MS),
          redirect: 'manual',
          // The request holds no secret, and the certificate is for another name than this address.
          tls: { rejectUnauthorized: false },
        });
        return { status: response.status, body: await response.text() };
      } catch {
        return undefined;
      }
    }),
  );
  return encrypted ?? plain;
}
