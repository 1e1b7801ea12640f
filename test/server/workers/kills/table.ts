import { spreadOf, spreadText } from '../../../../bench/statistics.ts';
import { markdownTable } from '../../../../bench/table.ts';
import type { KillRun } from './kill-run.ts';
import type { GrantedCounts } from './limit-probe.ts';
import type { KillKind } from './targets.ts';

/** All runs of a kind. */
export interface KillRuns {
  readonly kind: KillKind;
  readonly runs: readonly KillRun[];
  /** By database. */
  readonly granted: readonly GrantedCounts[];
}

/** The service must acknowledge an addition this soon after a kill. */
const ANSWERED_MAX_MS = 10_000;

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

/** Returns what broke a promise, in a sentence each. */
export function faultsOf({ kind, runs, granted }: KillRuns): string[] {
  const late = runs.filter(({ answeredMs }) => answeredMs > ANSWERED_MAX_MS).length;
  const counts = {
    'acknowledged additions were lost': sum(runs, ({ lost }) => lost),
    'additions were made twice': sum(runs, ({ doubled }) => doubled),
    'repeats got another response': sum(runs, ({ changed }) => changed),
    'requests failed with a status': sum(runs, ({ otherErrors }) => otherErrors),
    'requests were granted beyond the limit': sum(granted, ({ beyondPromise }) => beyondPromise),
    'kills were answered too late': late,
  };
  return [
    ...Object.entries(counts).flatMap(([fault, count]) =>
      count === 0 ? [] : [`${kind}: ${count} ${fault}`],
    ),
    ...runs.flatMap(({ problems }) => problems).map((problem) => `${kind}: ${problem}`),
  ];
}

/** Writes the runs as a Markdown table. */
export function asTable(all: readonly KillRuns[]): string {
  const header = [
    ...[
      'killed',
      'runs',
      'additions acknowledged',
      'lost',
      'doubled',
      'another response to a repeat',
    ],
    ...[
      'other requests served',
      'contradictions',
      'granted to a free key',
      'of them beyond its limit',
    ],
    ...['seconds until an addition is acknowledged', 'broken connections', 'other errors'],
  ];
  const whole = (n: number) => n.toLocaleString('en');
  const rows = all.map(({ kind, runs, granted }) => [
    kind,
    whole(runs.length),
    whole(sum(runs, ({ acknowledged }) => acknowledged)),
    whole(sum(runs, ({ lost }) => lost)),
    whole(sum(runs, ({ doubled }) => doubled)),
    whole(sum(runs, ({ changed }) => changed)),
    whole(sum(runs, ({ served }) => served)),
    whole(sum(runs, ({ problems }) => problems.length)),
    whole(sum(granted, (one) => one.granted)),
    whole(sum(granted, ({ beyond }) => beyond)),
    spreadText(spreadOf(runs.map(({ answeredMs }) => answeredMs / 1_000)), (n) => n.toFixed(2)),
    whole(sum(runs, ({ broken }) => broken)),
    whole(sum(runs, ({ otherErrors }) => otherErrors)),
  ]);
  return markdownTable(header, rows);
}
