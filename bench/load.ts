import { join } from 'node:path';
import * as z from 'zod';
import type { Scenario } from './scenarios.ts';
import type { Workbench } from './workbench.ts';

const SCRIPT = join(import.meta.dir, 'load.lua');

/** Connections of the load, all on one thread. */
export const CONNECTIONS = 32;

/** Timeout of a response; long enough that slow peers are still measured. */
export const RESPONSE_TIMEOUT_SECONDS = 20;

/** The counts that load.lua prints in its last line. */
const countsSchema = z.object({
  requests: z.int(),
  bytes: z.int(),
  microseconds: z.int(),
  /** Responses with a status of 400 or more. */
  refused: z.int(),
  /** Connections that failed to open, broke or timed out. */
  broken: z.int(),
  p50: z.int(),
  p99: z.int(),
});

/** The results of one run of the load. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly bytesPerResponse: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  /** Share of its core that the load used. Near 1 it measures itself instead of the server. */
  readonly busy: number;
}

/** Sends a scenario's requests for some seconds. Throws if any response was not a success. */
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
    ...[`--timeout=${RESPONSE_TIMEOUT_SECONDS}s`, '-s', SCRIPT, origin],
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
    throw new Error(`not every response was a success, so nothing was measured: ${line}`);
  }
  return {
    requests: counts.requests,
    perSecond: (counts.requests * 1e6) / counts.microseconds,
    bytesPerResponse: counts.bytes / counts.requests,
    p50Milliseconds: counts.p50 / 1_000,
    p99Milliseconds: counts.p99 / 1_000,
    busy: (cpuMilliseconds * 1_000) / counts.microseconds,
  };
}
