import { readFileSync } from 'node:fs';
import { eventually } from './eventually.ts';

/** The state of a listening socket, in the tables of proc_net_tcp(5). */
const LISTEN = '0A';
const PORT_DIGITS = 4;

/** The number of workers of test servers, unless a test sets another one. */
export const TEST_WORKERS = Number(process.env['PETSTORE_TEST_WORKERS'] ?? 1);

/**
 * Waits until this number of workers listen on a port: the service answers before all of them do. Ends
 * early if `isOver`.
 */
export async function untilAllListen(
  port: number,
  workers: number,
  isOver = () => false,
): Promise<void> {
  if (workers === 1) return;
  await eventually(
    () => countListeners(port),
    (count) => count >= workers || isOver(),
  );
}

function countListeners(port: number): number {
  const ending = `:${port.toString(16).toUpperCase().padStart(PORT_DIGITS, '0')}`;
  const lines = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8').split('\n'),
  );
  return lines.filter((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    return local.endsWith(ending) && state === LISTEN;
  }).length;
}
