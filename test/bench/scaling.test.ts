import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCosts } from '../../bench/scaling/costs.ts';
import { ASSUMED, costOf, planFor } from '../../bench/scaling/model.ts';
import { type Calibration, capacityOf, predict } from '../../bench/scaling/prediction.ts';
import { limitsTable, plansTable } from '../../bench/scaling/report.ts';
import { WORKLOADS } from '../../bench/scaling/workloads.ts';

const read = (path: string) => readFileSync(join(import.meta.dir, '../..', path), 'utf8');
const costs = readCosts(read('bench/RESULTS.md'));
const plans = WORKLOADS.map((workload) => planFor(workload, costs));
const [, , , billion] = plans;
if (billion === undefined) throw new Error('no plan for a billion requests');

describe('the scaling model', () => {
  test('reads the costs of every kind of request from the results', () => {
    for (const cost of Object.values(costs))
      for (const part of Object.values(cost)) expect(part).toBeGreaterThan(0);
    // As SCALING.md states them.
    expect(Math.round(costs['cached list'].instance)).toBe(20);
    expect(Math.round(costs.addition.postgres)).toBe(58);
  });

  test('weighs the kinds by their shares', () => {
    const only = { name: 'additions', animals: 1, requestsPerDay: 1, writes: 1, cached: 0 };
    expect(costOf(only, costs)).toEqual(costs.addition);
    const lists = costOf({ ...only, writes: 0, cached: 1 }, costs);
    const mean = (costs['cached list'].valkey + costs['cached animal'].valkey) / 2;
    expect(lists.valkey).toBeCloseTo(mean);
  });

  test('leaves one instance to spare and the others busy as assumed at most', () => {
    const { peak, cost, instances, postgresCores } = billion;
    const busy = (cores: number, microseconds: number) => (peak * microseconds) / 1e6 / cores;
    expect(busy(instances - 1, cost.instance)).toBeLessThanOrEqual(ASSUMED.busy);
    expect(busy(instances - 2, cost.instance)).toBeGreaterThan(ASSUMED.busy);
    expect(busy(postgresCores, cost.postgres)).toBeLessThanOrEqual(ASSUMED.busy);
  });

  test('names first what breaks first', () => {
    for (const { limits } of plans) {
      const rates = limits.map(({ perSecond }) => perSecond);
      expect(rates).toEqual(rates.toSorted((a, b) => a - b));
    }
  });

  test('predicts what it was calibrated with', () => {
    const many = { perSecond: 8_000, instance: 80, postgres: 70, valkey: 15, load: 30 };
    const few = { perSecond: 5_000, instance: 100, postgres: 90, valkey: 20, load: 30 };
    const calibration: Calibration = {
      many: { connections: 32, observed: many },
      few: { connections: 8, observed: few },
    };
    expect(predict(calibration, 32)).toEqual(many);
    expect(predict(calibration, 8)).toMatchObject({ instance: 100, postgres: 90, valkey: 20 });
    const between = predict(calibration, 16);
    expect(between.postgres).toBeGreaterThan(many.postgres);
    expect(between.postgres).toBeLessThan(few.postgres);
    // PostgreSQL, Valkey and the clients share the busier core, of which they used 92 %.
    expect(capacityOf(many)).toBeCloseTo(1e6 / 115);
    expect(between.perSecond / capacityOf(between)).toBeCloseTo(0.92);
  });
});

test('SCALING.md shows the tables that bench/scaling.ts computes', () => {
  const scaling = read('docs/SCALING.md');
  expect(scaling).toContain(plansTable(plans));
  expect(scaling).toContain(limitsTable(plans));
});
