import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { openServer } from '../../../../src/server/server.ts';
import { readConfig } from '../../../../src/settings/config.ts';

/*
 * The real server. On each message from its parent, one of its worker threads dies in that way. No signal
 * from outside can do it: the kernel kills all threads of a process or none. Nor can `terminate`: it cuts a
 * handler short, and then the runtime makes up its response, even a 204 for a DELETE.
 */

const ENTRY = new URL('./killable-worker.ts', import.meta.url);

/** The living threads, each with the port that makes it die. */
const living = new Map<Worker, MessagePort>();

function spawn(): Worker {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(ENTRY, { workerData: { deaths: port2 }, transferList: [port2] });
  living.set(worker, port1);
  worker.once('exit', () => living.delete(worker));
  return worker;
}

process.on('message', (way) => {
  const ports = [...living.values()];
  ports[Math.floor(Math.random() * ports.length)]?.postMessage(way);
});
// Nothing of it outlives its parent.
process.on('disconnect', () => process.exit());

const server = await openServer(readConfig({}, process.env), { spawn });
process.stderr.write(`Serving on ${server.baseUrl}\n`);
