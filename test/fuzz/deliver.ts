import { connect, type Socket } from 'node:net';
import type { Input, Step } from './input.ts';
import { hasAll, type Received } from './wire.ts';

/** After this silence, assume that the server waits for us. */
const QUIET_MS = 25;
/**
 * Once our side has ended, or the server should have timed out, it counts as hanging after this
 * time. Its longest timeout is 12 s.
 */
const HANG_MS = 30_000;
/** Send large inputs in pieces, to notice when the server closes. */
const PIECE_BYTES = 65_536;

/** An event that can be awaited repeatedly. */
function createBell() {
  let wake = () => {};
  return {
    ring: () => wake(),
    /** Waits for the next ring, at most `ms`. */
    async next(ms: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
    },
  };
}

/** Sends an input on its own connection and returns all that was received. */
export async function deliver(port: number, { steps, expected }: Input): Promise<Received> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const bell = createBell();
  const received: Buffer[] = [];
  let end: Received['end'] = 'open';
  let sentAll = true;
  const isOpen = () => end === 'open';
  const finish = (how: 'closed' | 'reset') => {
    if (isOpen()) end = how;
    bell.ring();
  };
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    bell.ring();
  });
  socket.on('end', () => finish('closed'));
  socket.on('error', () => finish('reset'));
  socket.on('close', () => finish('closed'));

  async function awaitClose(): Promise<void> {
    const until = performance.now() + HANG_MS;
    while (isOpen() && performance.now() < until) await bell.next(until - performance.now());
  }

  async function awaitResponses(): Promise<void> {
    const until = performance.now() + HANG_MS;
    const requiresAll = typeof expected === 'object' && expected.all;
    while (isOpen() && performance.now() < until) {
      if (requiresAll && hasAll(Buffer.concat(received), expected.responses)) return;
      const before = received.length;
      await bell.next(requiresAll ? until - performance.now() : QUIET_MS);
      if (!requiresAll && received.length === before) return;
    }
  }

  async function execute(step: Step): Promise<void> {
    if (step.do === 'send') sentAll = (await write(socket, step.bytes, isOpen)) && sentAll;
    else if (step.do === 'pause') await bell.next(step.ms);
    else if (step.do === 'await-close') await awaitClose();
    else if (step.do === 'await-responses') await awaitResponses();
    else {
      socket.resetAndDestroy();
      finish('reset');
    }
  }

  for (const step of steps) {
    if (!isOpen()) break;
    await execute(step);
  }
  socket.end();
  await awaitClose();
  socket.destroy();
  return { bytes: Buffer.concat(received), end, sentAll };
}

/** Sends piece by piece; returns whether all of it was sent before the server closed. */
async function write(socket: Socket, bytes: Uint8Array, isOpen: () => boolean): Promise<boolean> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (!isOpen()) return false;
    if (socket.write(bytes.subarray(at, at + PIECE_BYTES))) continue;
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const event of ['drain', 'close', 'error', 'end']) socket.once(event, resolve);
    const late = setTimeout(resolve, HANG_MS);
    await promise;
    clearTimeout(late);
  }
  return isOpen();
}
