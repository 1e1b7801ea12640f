import { ASSUMED, type Plan } from './model.ts';

const whole = (value: number) => Math.round(value).toLocaleString('en');

/** Writes what each workload needs, as a Markdown table. */
export function plansTable(plans: readonly Plan[]): string {
  const rows: readonly (readonly [string, (plan: Plan) => string])[] = [
    ['animals', ({ workload }) => whole(workload.animals)],
    [
      'responses a second: mean, peak',
      ({ peak }) => `${rate(peak / ASSUMED.peakFactor)}, ${rate(peak)}`,
    ],
    ['read from the cache', ({ workload }) => `${workload.cached * 100} %`],
    ['instances, one core each, one to spare', ({ instances }) => whole(instances)],
    ['cores of each PostgreSQL, of three', ({ postgresCores }) => whole(postgresCores)],
    ['cores of each Valkey, of two', ({ valkeyCores }) => whole(valkeyCores)],
    ['connections to PostgreSQL', ({ connections }) => whole(connections)],
    ['memory, all together', ({ memoryGib }) => `${whole(memoryGib)} GiB`],
    ['disk, all together', ({ diskGib }) => `${whole(diskGib)} GiB`],
    [
      'a read, an addition',
      ({ readMs, writeMs }) => `${readMs.toFixed(1)} ms, ${writeMs.toFixed(1)} ms`,
    ],
    ['a month', ({ dollarsPerMonth }) => `$${whole(dollarsPerMonth)}`],
  ];
  return [
    `| computed | ${plans.map(({ workload }) => workload.name).join(' | ')} |`,
    `|---|${plans.map(() => '--:|').join('')}`,
    ...rows.map(([title, cell]) => `| ${title} | ${plans.map(cell).join(' | ')} |`),
  ].join('\n');
}

/** Writes what has to be changed before each workload, and what breaks next, as a Markdown table. */
export function limitsTable(plans: readonly Plan[]): string {
  const rows = plans.map(({ workload, peak, limits }) => {
    const done = limits.filter(({ perSecond }) => perSecond < peak);
    const next = limits.find(({ perSecond }) => perSecond >= peak);
    const steps = done.map(({ part, remedy }) => `${part}: ${remedy}`).join('; ');
    const breaks = next && `${next.part}, at ${whole(next.perSecond)} a second: ${next.remedy}`;
    return `| ${workload.name} | ${steps || 'nothing'} | ${breaks ?? 'nothing known'} |`;
  });
  return ['| computed | to do before | what breaks next |', '|---|---|---|', ...rows].join('\n');
}

function rate(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : whole(perSecond);
}
