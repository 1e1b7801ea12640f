import { readFileSync } from 'node:fs';
import { spawnPetstore } from '../support/command-line.ts';
import { createServingKey, serving, UNLIMITED } from '../support/serving.ts';
import type { TemporaryFolder } from '../support/temporary.ts';

/** Calls on files and their locks; those on sockets, memory and threads depend on timing. */
const WATCHED = ['openat', 'pread64', 'fcntl', 'fsync', 'fdatasync'] as const;
export type WatchedCall = (typeof WATCHED)[number];

/** Number of concurrent clients. */
export const CLIENTS = 32;

/**
 * Runs a server on its own database under strace, sends `request` `count` times from 32 concurrent
 * clients, and returns the number of times each call was made from start to exit.
 */
export async function countCalls(
  strace: string,
  folder: TemporaryFolder,
  name: string,
  count: number,
  request: (origin: string, key: string) => Promise<Response>,
): Promise<Readonly<Record<WatchedCall, number>>> {
  const settings = { PETSTORE_DATABASE: `sqlite:${folder.file(`${name}.db`)}` };
  const key = await createServingKey(settings, ...UNLIMITED);
  const trace = folder.file(`${name}.trace`);
  const watch = [strace, '-f', '-qq', '-o', trace, '-e', `trace=${WATCHED.join(',')}`];
  const child = spawnPetstore(['serve', '--port', '0'], settings, watch);
  const { port } = await serving(child, key);
  let left = count;
  const client = async () => {
    while (left-- > 0) {
      const response = await request(`http://127.0.0.1:${port}`, key);
      const text = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${text}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: CLIENTS }, client));
  } finally {
    // strace keeps signals from the server, so signal the server itself; strace ends after it.
    const server = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
    process.kill(Number(server), 'SIGTERM');
    await child.exited;
  }
  const calls = { openat: 0, pread64: 0, fcntl: 0, fsync: 0, fdatasync: 0 };
  for (const [, call] of readFileSync(trace, 'utf8').matchAll(/^\d+ +(\w+)\(/gm)) {
    if (call !== undefined && call in calls) calls[call as WatchedCall]++;
  }
  return calls;
}
