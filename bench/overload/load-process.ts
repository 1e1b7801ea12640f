import { join } from 'node:path';
import * as z from 'zod';
import type { Workbench } from '../workbench.ts';

const PROGRAM = join(import.meta.dir, 'open-loop.ts');

/** The environment variable with the task of a load. */
export const TASK_VARIABLE = 'BENCH_LOAD';

/** The task of a load. */
export interface LoadTask {
  readonly origin: string;
  readonly authorization: string;
  /** The name of one of `loads`. */
  readonly load: string;
  /** Requests per second, independent of responses; 0 keeps each connection busy instead. */
  readonly perSecond: number;
  /** Warm-up in seconds, which is not counted. */
  readonly settleSeconds: number;
  /** Seconds in which requests are counted, by their scheduled time. */
  readonly seconds: number;
  /** The most connections; each is opened only when none is free. */
  readonly connections: number;
}

/** A response is good if it arrives within this time of its request's scheduled time. */
export const DEADLINE_MS = 1_000;

const resultSchema = z.object({
  offered: z.int(),
  /** Successes before the deadline. */
  good: z.int(),
  /** Successes after it. */
  late: z.int(),
  /** Responses with 503. */
  refused: z.int(),
  /** Never sent, because every connection was waiting for a response. */
  unsent: z.int(),
  /** Without a response at the end. */
  withoutResponse: z.int(),
  /** All successes since the first request, including the warm-up. */
  successes: z.int(),
  /** Successes whose body was compared in full. */
  compared: z.int(),
  /** Wrong responses and broken connections; the first one described. */
  wrong: z.int(),
  firstWrong: z.string(),
  connections: z.int(),
  /** Milliseconds since the scheduled time of a request. */
  accepted: z.object({ p50: z.number(), p99: z.number() }),
  refusals: z.object({ p50: z.number(), p99: z.number() }),
  /** The most that the load itself fell behind its schedule, in milliseconds. */
  behindMs: z.number(),
});

/** The result of a load. */
export type LoadResult = z.infer<typeof resultSchema>;

/** Runs a load to its end. Throws if a response was wrong. */
export async function runLoad(workbench: Workbench, task: LoadTask): Promise<LoadResult> {
  const environment = { [TASK_VARIABLE]: JSON.stringify(task) };
  const { output, exitCode } = await workbench.run([process.execPath, PROGRAM], environment);
  if (exitCode !== 0) throw new Error(`the load failed:\n${output}`);
  const result = resultSchema.parse(JSON.parse(output));
  if (result.wrong > 0)
    throw new Error(`${result.wrong} responses were wrong: ${result.firstWrong}`);
  return result;
}
