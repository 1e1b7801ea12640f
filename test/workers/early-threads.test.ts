import { expect, test } from 'bun:test';
import { Worker } from 'node:worker_threads';
import { startThreadsEarly } from '../../src/workers/early-threads.ts';

test('threads start before they are needed, are handed out once, and the rest are ended', async () => {
  const started: Worker[] = [];
  const spawn = () => {
    const thread = new Worker('setInterval(() => {}, 1000)', { eval: true });
    started.push(thread);
    return thread;
  };
  const early = startThreadsEarly(3, spawn);
  expect(started).toHaveLength(3);
  const [first, second, third] = started;
  expect(early.spawn()).toBe(first as Worker);
  const exited = new Promise((resolve) => second?.once('exit', resolve));
  await second?.terminate();
  await exited;
  // The second one has ended, so nobody gets it.
  expect(early.spawn()).toBe(third as Worker);
  expect(early.spawn()).toBe(started[3] as Worker);
  const rest = startThreadsEarly(1, spawn);
  const ended = new Promise((resolve) => started[4]?.once('exit', resolve));
  await rest.end();
  await ended;
  await Promise.all([first, third, started[3]].map((thread) => thread?.terminate()));
});
