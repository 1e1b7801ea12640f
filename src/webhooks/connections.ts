import type { Agent } from 'node:http';

/** Idle connections kept for reuse, in total. */
const IDLE_MAX = 256;
/** And to one receiver. */
const IDLE_EACH_MAX = 4;
/** Below what common servers wait (Node 5 s, Apache 5 s), so that few are closed under a request. */
const IDLE_MS = 4_000;

const LIMITS = { keepAlive: true, maxFreeSockets: IDLE_EACH_MAX, timeout: IDLE_MS } as const;

/** The connections to receivers. They are reused for the same address, port and TLS name only. */
export type Connections = Awaited<ReturnType<typeof openConnections>>;

/**
 * Creates the connections. `authority` is the only one to trust, as PEM; or those of the runtime. What
 * they need is loaded now, because a service without webhooks would start 15 ms later with it.
 */
export async function openConnections(authority?: string) {
  const { Agent: HttpAgent } = await import('node:http');
  const { Agent: HttpsAgent } = await import('node:https');
  const tls = authority === undefined ? {} : { ca: authority };
  const plain = new HttpAgent(LIMITS);
  const secure = new HttpsAgent({ ...LIMITS, ...tls });
  const fresh = { plain: new HttpAgent(), secure: new HttpsAgent(tls) };
  for (const agent of [plain, secure]) limitIdle(agent, () => idle(plain) + idle(secure));
  return {
    agentFor: (protocol: string): Agent => (protocol === 'https:' ? secure : plain),
    /** For one request, on a new connection. */
    freshAgentFor: (protocol: string): Agent =>
      protocol === 'https:' ? fresh.secure : fresh.plain,
    /** Closes all of them. */
    close(): void {
      plain.destroy();
      secure.destroy();
    },
  };
}

function idle({ freeSockets }: Agent): number {
  return Object.values(freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
}

/** Closes a connection instead of keeping it when there are enough idle ones to all receivers. */
function limitIdle(agent: Agent, count: () => number): void {
  const keepSocketAlive = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => count() < IDLE_MAX && keepSocketAlive(socket);
}
