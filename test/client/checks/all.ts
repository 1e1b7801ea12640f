import type { Check, CheckResult, World } from './check.ts';
import { eventChecks } from './events.ts';
import { faultChecks } from './faults.ts';
import { int64Checks } from './int64.ts';
import { profileChecks } from './profiles.ts';
import { recordChecks } from './records.ts';
import { webhookChecks } from './webhooks.ts';

const checks: readonly Check[] = [
  ...int64Checks,
  ...recordChecks,
  ...profileChecks,
  ...faultChecks,
  ...webhookChecks,
  ...eventChecks,
];

/** Runs every check on this runtime, one by one: browsers have few connections to one server. */
export async function runChecks(world: World): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, run } of checks) {
    results.push({ name, failure: await run(world).then(() => undefined, textOf) });
  }
  return results;
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
}
