import { Command, InvalidArgumentError } from 'commander';
import { keyNameProblem } from '../domain/api-key.ts';
import type { ChangeStamp } from '../domain/change-stamp.ts';
import { durationFromText, systemClock } from '../domain/clock.ts';
import { int64FromText } from '../domain/int64.ts';
import type { KeyRequest } from '../domain/key-lifecycle.ts';
import {
  PLAN_LIMIT_MAX,
  type Plan,
  type PlanProblem,
  type PlanRequest,
  requestedPlan,
} from '../domain/plan.ts';
import { CommandFailure } from './explain.ts';

/** Reads the id of a record. Throws `InvalidArgumentError`. */
export function idArgument(text: string): bigint {
  const id = int64FromText(text);
  if (id !== undefined && id > 0n) return id;
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}

/** Returns milliseconds. Throws `InvalidArgumentError`. */
export function durationArgument(text: string): number {
  const milliseconds = durationFromText(text);
  if (milliseconds !== undefined) return milliseconds;
  throw new InvalidArgumentError('It must be like 30s, 15m, 24h or 90d.');
}

/** Reads the limit of a plan. Throws `InvalidArgumentError`. */
export function limitArgument(text: string): number {
  if (/^[1-9][0-9]*$/.test(text) && Number(text) <= PLAN_LIMIT_MAX) return Number(text);
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}

/** Creates a reader for a list of these words, separated by commas. */
export function listArgument<T extends string>(words: readonly T[]): (text: string) => T[] {
  return (text) =>
    text.split(',').map((item) => {
      const word = words.find((known) => known === item.trim());
      if (word !== undefined) return word;
      throw new InvalidArgumentError(
        `It must be a list of ${words.join(', ')}, separated by commas.`,
      );
    });
}

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

/** Creates a command on one record of a kind, such as `key`; `listing` is the command that shows its id. */
export function commandOn(kind: string, listing: string, name: string, description: string) {
  return new Command(name)
    .description(description)
    .argument('<ID>', `id of the ${kind}; \`${listing}\` shows it`, idArgument);
}

/** Returns `value`, or throws `CommandFailure` for an id that no record of the kind has. */
export function found<T>(kind: string, value: T | undefined, id: bigint): T {
  if (value === undefined) throw new CommandFailure(`there is no ${kind} with the id ${id}.`);
  return value;
}

/** What commands write with: nobody's key. */
export function byCommand(): ChangeStamp {
  return { at: systemClock.now(), keyId: null };
}
