import { expect, test } from 'bun:test';
import { Worker } from 'node:worker_threads';
import { allocateLimitMemory } from '../../../src/limits/local.ts';
import type { MainCalls } from '../../../src/server/workers/calls.ts';
import { createCrew } from '../../../src/server/workers/crew.ts';
import { readConfig } from '../../../src/settings/config.ts';
import { eventually } from '../../support/eventually.ts';

/**
 * A worker that has counted 100 requests. When it is asked for its metrics again, the first one answers
 * and dies, and the second one answers when it is told to.
 */
const WORKER = `
  const { parentPort, workerData: isFirst } = require('node:worker_threads');
  const metrics = [{ name: 'requests', help: 'x', type: 'counter', samples: [[{}, 100]] }];
  const answer = (id, value) => parentPort.postMessage({ calls: [], replies: [[id, value]], errors: [] });
  let asked = 0;
  let held;
  parentPort.on('message', (message) => {
    if (message === 'answer') return answer(held, metrics);
    for (const [id, name] of message.calls) {
      if (name !== 'metrics') answer(id, undefined);
      else if (asked++ === 0) answer(id, metrics);
      else if (!isFirst) held = id;
      else {
        answer(id, metrics);
        setImmediate(() => process.exit(1));
      }
    }
  });
`;

test('a worker that dies while the metrics are collected is counted once', async () => {
  const threads: Worker[] = [];
  const lines: string[] = [];
  const config = readConfig({}, {});
  const crew = createCrew({
    numbers: [2, 3],
    log: { info: (text) => void lines.push(text), error: (text) => void lines.push(text) },
    spawn() {
      const thread = new Worker(WORKER, {
        eval: true,
        workerData: threads.length === 0,
      });
      threads.push(thread);
      return thread;
    },
    setUp: (worker) => ({
      order: {
        worker,
        config,
        port: 0,
        certificate: undefined,
        obstacle: undefined,
        connections: 0,
        limits: allocateLimitMemory(1),
      },
      // These workers call nothing.
      calls: {} as MainCalls,
      end() {},
    }),
  });
  const requests = async () => {
    const metrics = await crew.collect([]);
    const found = metrics.find(({ name }) => name === 'requests');
    return found?.type === 'counter' ? [...found.samples()] : undefined;
  };
  crew.start();
  await eventually(
    () => lines,
    (seen) => seen.filter((line) => line.endsWith('serves')).length === 2,
  );
  expect(await requests()).toEqual([[{}, 200]]);
  const during = requests();
  await eventually(
    () => lines,
    (seen) => seen.includes('worker 2 died and is replaced'),
  );
  threads[1]?.postMessage('answer');
  expect(await during).toEqual([[{}, 200]]);
  await crew.end();
});
