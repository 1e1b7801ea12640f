import type { LoadReport } from './load.ts';

/** One run of a scenario. */
export interface Trial extends LoadReport {
  readonly scenario: string;
  /** The longest time without an acknowledged write. */
  readonly seconds: number;
  /** The longest time without one of an instance, while the cluster took writes. */
  readonly lagSeconds: number;
}

/** All runs of a scenario. */
interface Row {
  readonly scenario: string;
  readonly runs: number;
  readonly written: number;
  readonly problems: number;
  readonly inDoubt: number;
  readonly refused: number;
  readonly otherErrors: number;
  readonly seconds: readonly number[];
  readonly lagSeconds: readonly number[];
}

/** Adds up the runs of each scenario. */
export function addUp(trials: readonly Trial[]): Row[] {
  const sum = (of: readonly Trial[], count: (trial: Trial) => number) =>
    of.reduce((total, trial) => total + count(trial), 0);
  const byScenario = Map.groupBy(trials, ({ scenario }) => scenario);
  return [...byScenario].map(([scenario, runs]) => ({
    scenario,
    runs: runs.length,
    written: sum(runs, ({ written }) => written),
    problems: sum(runs, ({ problems }) => problems.length),
    inDoubt: sum(runs, ({ inDoubt }) => inDoubt),
    refused: sum(runs, ({ refused }) => refused),
    otherErrors: sum(runs, ({ otherErrors }) =>
      [...otherErrors.values()].reduce((total, count) => total + count, 0),
    ),
    seconds: runs.map(({ seconds }) => seconds),
    lagSeconds: runs.map(({ lagSeconds }) => lagSeconds),
  }));
}

/** Writes rows as a Markdown table. */
export function asTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const cells = [
      row.scenario,
      row.runs,
      row.written.toLocaleString('en'),
      row.problems,
      row.inDoubt,
      rangeOf(row.seconds),
      rangeOf(row.lagSeconds),
      row.refused.toLocaleString('en'),
      row.otherErrors,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| scenario | runs | acknowledged writes | lost | in doubt | seconds without a write | seconds behind the cluster | 503 with Retry-After | other errors |',
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...lines,
  ].join('\n');
}

function rangeOf(seconds: readonly number[]): string {
  const ends = [Math.min(...seconds), Math.max(...seconds)].map((end) => end.toFixed(1));
  return [...new Set(ends)].join(' to ');
}
