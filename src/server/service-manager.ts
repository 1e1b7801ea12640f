import { dlopen } from 'bun:ffi';

/** Tells systemd, or whatever else started this process, about its state. Never throws. */
export interface ServiceManager {
  /** The service accepts requests. If the manager wants to hear that its main thread goes on, it does from now on. */
  ready(status: string): Promise<void>;
  /** The service is about to end. */
  stopping(): void;
}

/** The variables that systemd sets (sd_notify(3), sd_watchdog_enabled(3)). */
type Variables = Readonly<Partial<Record<string, string>>>;

/**
 * Finds who started this process in its environment. `report` gets one sentence if nobody there can
 * be told.
 *
 * Neither Bun nor Node has Unix datagrams, so the C library is called. A process of `systemd-notify`
 * would cost a fork for each message, is missing in small images, and may only speak for this
 * process if the unit lets all of its processes do so.
 */
export function findServiceManager(
  { NOTIFY_SOCKET: path, ...variables }: Variables,
  report: (problem: string) => void,
): ServiceManager {
  const send = path ? openSocket(path) : undefined;
  if (send === undefined) return { ready: async () => {}, stopping() {} };

  return {
    async ready(status) {
      const periodMs = watchdogMs(variables);
      // A timer of the main thread: it fires only while that goes on.
      if (periodMs !== undefined) setInterval(() => send('WATCHDOG=1'), periodMs / 2).unref();
      // The queue of the receiver may be full for a moment, and nothing here may wait for it.
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        if (send(`READY=1\nSTATUS=${status}`)) return;
        await Bun.sleep(PAUSE_MS);
      }
      report(`nobody at NOTIFY_SOCKET=${path} hears that the service is ready`);
    },
    stopping: () => void send('STOPPING=1'),
  };
}

const TRIES_MAX = 10;
const PAUSE_MS = 100;

/** How often the service manager wants to hear, in milliseconds; undefined if it does not. */
function watchdogMs({ WATCHDOG_USEC, WATCHDOG_PID }: Variables): number | undefined {
  const isMeant = !WATCHDOG_PID || Number(WATCHDOG_PID) === process.pid;
  const milliseconds = Number(WATCHDOG_USEC) / 1_000;
  return isMeant && milliseconds > 0 ? milliseconds : undefined;
}

/** Constants of Linux, equal on x64 and arm64. */
const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 2 | 0o2_000_000;
const MSG_DONTWAIT_NOSIGNAL = 0x40 | 0x4000;
/** The room for a path in the address of a Unix socket. */
const PATH_BYTES_MAX = 108;

/**
 * Opens a socket for datagrams to this path. The result sends one, and returns whether it was taken:
 * never for a path that is none of a Unix socket.
 */
function openSocket(path: string): (message: string) => boolean {
  const bytes = Buffer.from(path);
  if (!/^[/@]/.test(path) || bytes.length >= PATH_BYTES_MAX) return () => false;
  // An abstract name begins with a null byte; a path ends with one.
  const name = path.startsWith('@') ? [0, ...bytes.subarray(1)] : [...bytes, 0];
  const address = Uint8Array.from([AF_UNIX, 0, ...name]);
  const { socket, sendto } = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
  }).symbols;
  const descriptor = socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
  return (message) => {
    const text = Buffer.from(message);
    const sent = sendto(
      ...[descriptor, text, text.length, MSG_DONTWAIT_NOSIGNAL, address, address.length],
    );
    return Number(sent) === text.length;
  };
}
