import { workerData } from 'node:worker_threads';
import { startWorker } from '../../src/server/workers/worker.ts';
import { clockIn } from './clock.ts';

// A worker of a test server: that of the service, with the clock of the test.
startWorker({ clock: clockIn(workerData.clock) });
