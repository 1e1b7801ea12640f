import { join } from 'node:path';
import * as z from 'zod';
import type { Workbench } from '../workbench.ts';

const PROGRAM = join(import.meta.dir, 'arrivals.ts');

/** The variable in which a crowd finds its task. */
export const TASK_VARIABLE = 'BENCH_CROWD';

/** What a crowd is to do. */
export interface CrowdTask {
  readonly origin: string;
  readonly authorization: string;
  /** The name of one of `loads`. */
  readonly load: string;
  /** Requests a second, whatever is answered; 0 for each connection always busy. */
  readonly perSecond: number;
  /** Seconds before anything is counted. */
  readonly settleSeconds: number;
  /** Seconds in which requests are counted, by when they should have been sent. */
  readonly seconds: number;
  /** The most connections; opened when none is free. */
  readonly connections: number;
}

/** An answer is good that comes so soon after its request should have been sent. */
export const DEADLINE_MS = 1_000;

const resultSchema = z.object({
  offered: z.int(),
  /** Answered with success before the deadline. */
  good: z.int(),
  /** Answered with success after it. */
  late: z.int(),
  /** Answered with 503. */
  refused: z.int(),
  /** Never sent, since every connection waited for an answer. */
  unsent: z.int(),
  /** Not answered when the crowd left. */
  unanswered: z.int(),
  /** All successes from the first request on, those that were not counted too. */
  successes: z.int(),
  /** Successes whose whole body was compared. */
  compared: z.int(),
  /** Answers that were wrong, and connections that broke; the first of them in words. */
  wrong: z.int(),
  firstWrong: z.string(),
  connections: z.int(),
  /** Milliseconds since a request should have been sent. */
  accepted: z.object({ p50: z.number(), p99: z.number() }),
  refusals: z.object({ p50: z.number(), p99: z.number() }),
  /** The most that the crowd itself fell behind its plan, in milliseconds. */
  behindMs: z.number(),
});

/** What a crowd saw. */
export type CrowdResult = z.infer<typeof resultSchema>;

/** Sends a crowd and waits until it has gone. Throws where an answer was wrong. */
export async function sendCrowd(workbench: Workbench, task: CrowdTask): Promise<CrowdResult> {
  const environment = { [TASK_VARIABLE]: JSON.stringify(task) };
  const { output, exitCode } = await workbench.run([process.execPath, PROGRAM], environment);
  if (exitCode !== 0) throw new Error(`the crowd failed:\n${output}`);
  const result = resultSchema.parse(JSON.parse(output));
  if (result.wrong > 0) throw new Error(`${result.wrong} answers were wrong: ${result.firstWrong}`);
  return result;
}
