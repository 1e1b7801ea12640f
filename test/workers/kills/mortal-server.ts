import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { readConfig } from '../../../src/config.ts';
import { openServer } from '../../../src/server.ts';

/*
 * The real server, which ends one of its worker threads on each message from its parent. No signal
 * from outside can: the kernel kills all threads of a process or none.
 */

const ENTRY = new URL('./mortal-worker.ts', import.meta.url);

/** The living threads, each with the port that makes it fail. */
const living = new Map<Worker, MessagePort>();

function spawn(): Worker {
  const { port1, port2 } = new MessageChannel();
  const options = { workerData: { faults: port2 }, transferList: [port2] };
  const worker = new Worker(ENTRY, options);
  living.set(worker, port1);
  worker.once('exit', () => living.delete(worker));
  return worker;
}

process.on('message', (way) => {
  const all = [...living];
  const [worker, faults] = all[Math.floor(Math.random() * all.length)] ?? [];
  if (way === 'terminate') void worker?.terminate();
  else faults?.postMessage('fail');
});

const server = await openServer(readConfig({}, process.env), { spawn });
process.stdout.write(`Serving on ${server.baseUrl}\n`);
