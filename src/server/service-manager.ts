import { SECOND_MS } from '../domain/clock.ts';

/** The variables that systemd sets (sd_notify(3), sd_watchdog_enabled(3)). */
type Variables = Readonly<Partial<Record<string, string>>>;

/** A message takes milliseconds. One that takes longer is given up; systemd may take 5 s. */
const TOLD_MS = 10 * SECOND_MS;

/**
 * Finds who started this process in its environment, and tells it about the state of the service. `report` gets one
 * sentence if nobody there can be told. Never throws.
 *
 * Neither Bun nor Node has Unix datagrams, so `systemd-notify` sends each message. The unit has to let it speak for
 * the service: `NotifyAccess=all`.
 */
export function findServiceManager(environment: Variables, report: (problem: string) => void) {
  const { NOTIFY_SOCKET: path } = environment;
  if (!path) return { ready: async (_status: string) => {}, stopping: async () => {} };

  async function tell(...message: string[]): Promise<boolean> {
    try {
      const env = { ...process.env, NOTIFY_SOCKET: path };
      const child = Bun.spawn(['systemd-notify', ...message], {
        stdio: ['ignore', 'ignore', 'ignore'],
        timeout: TOLD_MS,
        env,
      });
      return (await child.exited) === 0;
    } catch {
      return false;
    }
  }

  return {
    /** Tells that the service accepts requests and, if systemd asks for it, from now on that the main thread runs. */
    async ready(status: string): Promise<void> {
      const periodMs = watchdogMs(environment);
      // A timer of the main thread fires only while that thread runs.
      if (periodMs !== undefined) setInterval(() => tell('WATCHDOG=1'), periodMs / 2).unref();
      if (await tell('--ready', `--status=${status}`)) return;
      report(`systemd-notify cannot tell NOTIFY_SOCKET=${path} that the service is ready`);
    },
    /** The service is about to end. */
    stopping: async () => void (await tell('STOPPING=1')),
  };
}

/** How often systemd wants to hear, in milliseconds; undefined if it does not. */
function watchdogMs({ WATCHDOG_USEC, WATCHDOG_PID }: Variables): number | undefined {
  const isMeant = !WATCHDOG_PID || Number(WATCHDOG_PID) === process.pid;
  const milliseconds = Number(WATCHDOG_USEC) / 1_000;
  return isMeant && milliseconds > 0 ? milliseconds : undefined;
}
