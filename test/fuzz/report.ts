import type { Findings } from './campaign.ts';

const MIB = 1_048_576;
/** More memory than the server may hold at any time, for any input. */
export const MEMORY_MAX_BYTES = 384 * MIB;
/** Number of samples from which growth is visible: five minutes. */
const SAMPLES_MIN = 300;
/** Allowed growth from the first fifth to the end of a run. */
const GROWTH_MAX_BYTES = 96 * MIB;

/** Problems with the server's memory, one sentence each. */
export function memoryProblems(samples: readonly number[]): string[] {
  const problems: string[] = [];
  const most = Math.max(0, ...samples);
  if (most > MEMORY_MAX_BYTES) problems.push(`the server held ${mib(most)} of memory`);
  if (samples.length >= SAMPLES_MIN) {
    const fifth = Math.floor(samples.length / 5);
    const early = median(samples.slice(fifth, 2 * fifth));
    const late = median(samples.slice(-fifth));
    if (late - early > GROWTH_MAX_BYTES) {
      problems.push(`its memory grew from ${mib(early)} to ${mib(late)}`);
    }
  }
  return problems;
}

/** All problems, one sentence each; none after a clean run. */
export function problemsOf({ violations, problems, memory }: Findings): string[] {
  const ofInputs = violations.map(({ kind, problem }) => `${kind}: ${problem}`);
  return [...ofInputs, ...problems, ...memoryProblems(memory)];
}

/** A summary of what was sent and its outcomes, for people. */
export function reportOf(findings: Findings): string {
  const { seed, inputs, counts, companion, crowd, memory } = findings;
  const lines = [`seed ${seed}: ${inputs} inputs`, ''];
  for (const [kind, outcomes] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sorted = [...outcomes].sort(([, a], [, b]) => b - a);
    const shown = sorted.map(([outcome, count]) => `${count} × ${outcome}`).join(', ');
    lines.push(`${kind}: ${shown}`);
  }
  const latencies = companion.latencies.toSorted((a, b) => a - b);
  const at = (share: number) =>
    (latencies[Math.floor((latencies.length - 1) * share)] ?? 0).toFixed(1);
  lines.push(
    '',
    `the client beside it: ${latencies.length} requests; ` +
      `half within ${at(0.5)} ms, 99% within ${at(0.99)} ms, all within ${at(1)} ms`,
    `idle connections: ${crowd.ended} ended by the server, none older than ${crowd.longestMs.toFixed(0)} ms`,
    `memory of the server: ${mib(median(memory))} in the middle, ${mib(Math.max(0, ...memory))} at most`,
  );
  return lines.join('\n');
}

function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? 0;
}

function mib(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
