import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Kind } from './kinds.ts';
import type { Workbench } from './workbench.ts';

const SCRIPT = join(import.meta.dir, 'load.lua');

/** Connections of the load, all on one thread. */
export const CONNECTIONS = 32;

/** Timeout of a response; long enough that slow peers are still measured. */
export const RESPONSE_TIMEOUT_SECONDS = 20;

/** The counts that load.lua prints in its last line. */
const countsSchema = z.object({
  requests: z.int(),
  /** Additions sent by a load of several requests, answered or not; 0 for a load of only one. */
  additions: z.int(),
  bytes: z.int(),
  microseconds: z.int(),
  /** Processor time of the load before its first request. */
  preparation: z.int(),
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
  /** How many animals it added, at least and at most: those in progress at its end are not known. */
  readonly added: { readonly least: number; readonly most: number };
  readonly perSecond: number;
  readonly bytesPerResponse: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  /** Share of its core that the load used. Near 1 it measures itself instead of the server. */
  readonly busy: number;
}

/** Requests in an order that repeats. */
export interface Load {
  readonly kinds: readonly Pick<Kind, 'load'>[];
  /** The kind of each request, as an index of `kinds`; the paths of each kind are taken in turn. */
  readonly order: readonly number[];
  /** How many paths of each kind are passed over at first, so that runs do not repeat each other. */
  readonly start?: number;
}

/** Sends a load for some seconds. Throws if any response was not a success. */
export async function sendLoad(
  workbench: Workbench,
  wrk: string,
  origin: string,
  load: Load,
  authorization: string,
  seconds: number,
  connections = CONNECTIONS,
): Promise<LoadResult> {
  // Several loads may run at once.
  const plan = join(workbench.folder, `load-${crypto.randomUUID()}.plan`);
  writeFileSync(plan, planOf(load));
  const command = [
    ...[wrk, '-t1', `-c${connections}`, `-d${seconds}s`],
    ...[`--timeout=${RESPONSE_TIMEOUT_SECONDS}s`, '-s', SCRIPT, origin],
  ];
  const { output, exitCode, cpuMilliseconds } = await workbench.run(command, {
    BENCH_PLAN: plan,
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
    added: addedBy(load, counts),
    perSecond: (counts.requests * 1e6) / counts.microseconds,
    bytesPerResponse: counts.bytes / counts.requests,
    p50Milliseconds: counts.p50 / 1_000,
    p99Milliseconds: counts.p99 / 1_000,
    busy: (cpuMilliseconds * 1_000 - counts.preparation) / counts.microseconds,
  };
}

/** Returns a load as load.lua reads it. */
export function planOf({ kinds, order, start = 0 }: Load): string {
  const lines = kinds.map(({ load: { method, body, paths } }) => {
    const first = start % paths.length;
    return [method, body, [...paths.slice(first), ...paths.slice(0, first)].join(' ')].join('\t');
  });
  return `${[order.map((kind) => kind + 1).join(' '), ...lines].join('\n')}\n`;
}

function addedBy(
  { kinds, order }: Load,
  { requests, additions }: z.infer<typeof countsSchema>,
): LoadResult['added'] {
  const adding = order.filter((kind) => kinds[kind]?.load.method === 'POST').length;
  if (adding === 0) return { least: 0, most: 0 };
  if (adding === order.length) return { least: requests, most: requests + CONNECTIONS };
  // wrk asks for one request more than it sends.
  return { least: Math.max(0, additions - CONNECTIONS - 1), most: additions };
}
