import { keyNameProblem } from '../domain/api-key.ts';
import type { KeyRequest } from '../domain/key-issuance.ts';
import { type Plan, type PlanProblem, type PlanRequest, requestedPlan } from '../domain/plan.ts';
import { CommandFailure } from './explain.ts';

/** The options of `keys create`. */
export interface KeyOptions extends PlanRequest, Pick<KeyRequest, 'name' | 'scopes'> {
  /** Milliseconds. */
  readonly expires?: number;
}

const PLAN_PROBLEMS: Record<PlanProblem, string> = {
  limits_missing: 'the plan enterprise needs both --per-minute and --per-day.',
  limits_not_allowed: 'only the plan enterprise takes --per-minute and --per-day.',
};

/** Returns the plan that the options name. Throws `CommandFailure` if its limits do not fit it. */
export function planOfOptions(options: PlanRequest): Plan {
  const plan = requestedPlan(options);
  if (typeof plan === 'string') throw new CommandFailure(PLAN_PROBLEMS[plan]);
  return plan;
}

/** Returns the key that the options describe. Throws `CommandFailure` for a name or plan that is not allowed. */
export function keyOfOptions(options: KeyOptions): KeyRequest {
  const { name, scopes, expires } = options;
  const problem = keyNameProblem(name);
  if (problem !== undefined) throw new CommandFailure(`--name ${problem}.`);
  return { name, scopes, plan: planOfOptions(options), lifetimeMs: expires };
}

/** Returns `value`, or throws `CommandFailure` for an unknown key. */
export function foundKey<T>(value: T | undefined, id: bigint): T {
  if (value === undefined) throw new CommandFailure(`there is no key with the id ${id}.`);
  return value;
}
