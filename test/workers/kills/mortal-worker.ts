import { workerData } from 'node:worker_threads';
import { startWorker } from '../../../src/workers/worker.ts';

// A worker of the service that fails on request, by an error that nothing catches.
workerData.faults.on('message', () => {
  throw new Error('a fault on purpose');
});
workerData.faults.unref();
startWorker();
