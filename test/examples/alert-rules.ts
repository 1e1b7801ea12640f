import { expect } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { programPath } from '../support/program.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

/** The alerts of the examples. */
export const RULES = join(import.meta.dir, '../../examples/prometheus-alerts.yaml');

/** A series and its values, one a minute, as promtool writes them: `5+1x59`. */
export interface AlertInput {
  readonly series: string;
  readonly values: string;
}

/** The name of a series with the labels that Prometheus adds when it scrapes. */
export function scrapedSeries(name: string): string {
  const [metric, labels = ''] = name.split(/[{}]/);
  const own = [labels, 'job="petstore"', 'instance="shop"'].filter((text) => text !== '');
  return `${metric}{${own.join()}}`;
}

/** Has promtool follow the rules for this many minutes; these alerts must fire meanwhile, and no others. */
export async function expectFiring(
  input: readonly AlertInput[],
  minutes: number,
  alerts: readonly string[],
  evaluationInterval = '1m',
): Promise<void> {
  using folder = createTemporaryFolder();
  // Prometheus has a target, unless a test is about that.
  const isUpGiven = input.some(({ series }) => series.startsWith('up{'));
  const up = { series: scrapedSeries('up'), values: `1+0x${minutes}` };
  const tests = {
    rule_files: [RULES],
    evaluation_interval: evaluationInterval,
    tests: [
      {
        interval: '1m',
        input_series: isUpGiven ? input : [...input, up],
        promql_expr_test: [
          {
            expr: 'group by (alertname) (max_over_time(ALERTS{alertstate="firing"}[2d]))',
            eval_time: `${minutes - 1}m`,
            exp_samples: alerts.map((alertname) => ({
              labels: `{alertname="${alertname}"}`,
              value: 1,
            })),
          },
        ],
      },
    ],
  };
  const file = folder.file('alerts.test.yaml');
  writeFileSync(file, stringify(tests));
  const child = Bun.spawn([programPath('prometheus', 'promtool'), 'test', 'rules', file], {
    stderr: 'pipe',
  });
  const said = `${await child.stdout.text()}${await child.stderr.text()}`;
  expect(said).toContain('SUCCESS');
  expect(await child.exited).toBe(0);
}
