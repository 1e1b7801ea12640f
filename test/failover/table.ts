import type { LoadReport } from './load.ts';

/** One run of a scenario. */
export interface Trial extends LoadReport {
  readonly scenario: string;
  /** The longest time without an acknowledged write. */
  readonly seconds: number;
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
  }));
}

/** Writes rows as a Markdown table. */
export function asTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const range = [Math.min(...row.seconds), Math.max(...row.seconds)].map((s) => s.toFixed(1));
    const cells = [
      row.scenario,
      row.runs,
      row.written.toLocaleString('en'),
      row.problems,
      row.inDoubt,
      range[0] === range[1] ? range[0] : range.join(' to '),
      row.refused.toLocaleString('en'),
      row.otherErrors,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| scenario | runs | acknowledged writes | lost | in doubt | seconds without a write | 503 with Retry-After | other errors |',
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...lines,
  ].join('\n');
}
