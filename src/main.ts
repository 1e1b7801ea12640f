#!/usr/bin/env bun

// Workers enter this file again: an executable has no other file to start them with.
if (Bun.isMainThread) {
  const { run } = await import('./cli/run.ts');
  process.exitCode = await run(process.argv.slice(2));
} else {
  const { startWorker } = await import('./server/workers/worker.ts');
  startWorker();
}

export {};
