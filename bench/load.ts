import { join } from 'node:path';
import * as z from 'zod';
import type { Scenario } from './scenarios.ts';
import type { Workbench } from './workbench.ts';

const SCRIPT = join(import.meta.dir, 'load.lua');

/** Connections of the load, all from one thread. */
export const CONNECTIONS = 32;

/** The longest that an answer is waited for: a peer that takes its time is still measured. */
export const ANSWER_TIMEOUT_SECONDS = 20;

/** The line of counts that load.lua prints last. */
const countsSchema = z.object({
  requests: z.int(),
  bytes: z.int(),
  microseconds: z.int(),
  /** Answers with a status of 400 or more. */
  refused: z.int(),
  /** Connections that could not be made, broke, or waited too long. */
  broken: z.int(),
  p50: z.int(),
  p99: z.int(),
});

/** What one run of the load saw. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly bytesPerAnswer: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  /** How much of its core the load took, of 1: near 1 it measures itself and not the server. */
  readonly busy: number;
}

/** Sends a scenario's requests for some seconds. Throws where one answer was not a success. */
export async function sendLoad(
  workbench: Workbench,
  wrk: string,
  origin: string,
  { method, paths, body }: Scenario['load'],
  authorization: string,
  seconds: number,
): Promise<LoadResult> {
  const command = [
    ...[wrk, '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`],
    ...[`--timeout=${ANSWER_TIMEOUT_SECONDS}s`, '-s', SCRIPT, origin],
  ];
  const { output, exitCode, cpuMilliseconds } = await workbench.run(command, {
    BENCH_METHOD: method,
    BENCH_PATHS: paths.join(' '),
    BENCH_BODY: body,
    BENCH_AUTHORIZATION: authorization,
  });
  const line = output.split('\n').findLast((text) => text.startsWith('{'));
  if (exitCode !== 0 || line === undefined) throw new Error(`wrk failed:\n${output}`);
  const counts = countsSchema.parse(JSON.parse(line));
  if (counts.refused > 0 || counts.broken > 0 || counts.requests === 0) {
    throw new Error(`not every answer was a success, so nothing was measured: ${line}`);
  }
  return {
    requests: counts.requests,
    perSecond: (counts.requests * 1e6) / counts.microseconds,
    bytesPerAnswer: counts.bytes / counts.requests,
    p50Milliseconds: counts.p50 / 1_000,
    p99Milliseconds: counts.p99 / 1_000,
    busy: (cpuMilliseconds * 1_000) / counts.microseconds,
  };
}
