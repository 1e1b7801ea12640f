import { workerData } from 'node:worker_threads';
import { startWorker } from '../../../../src/server/workers/worker.ts';

// A worker of the service that dies on request.
workerData.deaths.on('message', (way: string) => {
  if (way === 'exit') process.exit(1);
  throw new Error('an error that nothing catches');
});
workerData.deaths.unref();
startWorker();
