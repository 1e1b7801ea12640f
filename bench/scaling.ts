/**
 * `bun bench/scaling.ts [--measure [SECONDS]]`: computes from the measured costs in RESULTS.md what 10, 1,000 and
 * 100,000 shops and a billion requests a day need, and what breaks first. With --measure it holds the model against 1, 2
 * and 3 instances on this machine.
 */
import { join } from 'node:path';
import { readCosts } from './scaling/costs.ts';
import { measureInstances } from './scaling/measured.ts';
import { planFor } from './scaling/model.ts';
import { limitsTable, plansTable } from './scaling/report.ts';
import { WORKLOADS } from './scaling/workloads.ts';

const [flag, seconds = '5'] = process.argv.slice(2);
const costs = readCosts(await Bun.file(join(import.meta.dir, 'RESULTS.md')).text());
const plans = WORKLOADS.map((workload) => planFor(workload, costs));
process.stdout.write(`${plansTable(plans)}\n\n${limitsTable(plans)}\n`);
if (flag === '--measure') process.stdout.write(`\n${await measureInstances(Number(seconds))}\n`);
