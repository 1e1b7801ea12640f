import { yieldToOthers } from '../child/own-program.ts';
import { type BackupOrder, makeBackup } from './make.ts';

/** The wait for work that is asked to stop. */
const STOP_MS = 3_000;

/**
 * Reads an order, a line of JSON, from standard input, follows it, and writes the outcome as JSON. The end of
 * the input means that the parent is about to end, or has died: then the backup under way is given up.
 */
export async function answerOrder(): Promise<void> {
  yieldToOthers();
  // Ctrl-C reaches this process too, but when to stop is said by the parent.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  let isInterrupted = false;
  const order = await firstLine(() => {
    isInterrupted = true;
    setTimeout(() => process.exit(1), STOP_MS);
  });
  // Written by the parent, which is this program.
  const outcome = await makeBackup(JSON.parse(order) as BackupOrder, {
    start() {},
    advance() {},
    isInterrupted: () => isInterrupted,
  });
  await Bun.write(Bun.stdout, JSON.stringify(outcome));
  process.exit(0);
}

/** Resolves with the first line of the input, and calls back at its end. */
function firstLine(ended: () => void): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  process.stdin.on('data', (chunk) => {
    text += String(chunk);
    const end = text.indexOf('\n');
    if (end >= 0) resolve(text.slice(0, end));
  });
  process.stdin.on('end', ended);
  return promise;
}
