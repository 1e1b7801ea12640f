import {
  type ApiKey,
  generateKey,
  hashKey,
  type KeyStorage,
  type Scope,
} from '../domain/api-key.ts';
import type { Environment } from '../domain/deployment.ts';
import { nameProblem, PET_NAME_MAX } from '../domain/name.ts';
import { FIXED_PLANS, numbersOnKey, type Plan, type PlanName } from '../domain/plan.ts';
import { CommandFailure } from './explain.ts';

/** A key as its holder gets it: the one time that its text is known. */
export interface IssuedKey {
  readonly text: string;
  readonly key: ApiKey;
  /** For a successor: the key it takes the place of, and until when that one is good. */
  readonly replaces?: { readonly id: bigint; readonly until: number };
}

/** The plan that a key is asked to have. */
export interface PlanRequest {
  readonly plan: PlanName;
  readonly perMinute?: number;
  readonly perDay?: number;
}

/** What a key is asked to be. Times in milliseconds. */
export interface KeyRequest extends PlanRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires?: number;
}

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** The plan of a request, with its numbers. Throws `CommandFailure` where they do not fit. */
export function planAsked({ plan, perMinute, perDay }: PlanRequest): Plan {
  if (plan !== 'enterprise') {
    if (perMinute === undefined && perDay === undefined) return FIXED_PLANS[plan];
    throw new CommandFailure('--per-minute and --per-day go with the plan enterprise alone.');
  }
  if (perMinute !== undefined && perDay !== undefined) return { name: plan, perMinute, perDay };
  throw new CommandFailure('the plan enterprise needs both --per-minute and --per-day.');
}

/** What was found of the key with this id. Throws `CommandFailure` where there is no such key. */
export function found<T>(value: T | undefined, id: bigint): T {
  if (value === undefined) throw new CommandFailure(`there is no key with the id ${id}.`);
  return value;
}

/** Makes and stores a key. Throws `CommandFailure` for one that makes no sense. */
export async function createKey(
  keys: KeyStorage,
  environment: Environment,
  now: number,
  request: KeyRequest,
): Promise<IssuedKey> {
  const problem = nameProblem(request.name, PET_NAME_MAX);
  if (problem !== undefined) throw new CommandFailure(`--name ${problem}.`);
  const plan = planAsked(request);
  const text = generateKey(environment, randomBytes);
  const key = await keys.create({
    hash: hashKey(text),
    name: request.name,
    plan: plan.name,
    ...numbersOnKey(plan),
    scopes: request.scopes,
    createdAt: now,
    expiresAt: request.expires === undefined ? null : now + request.expires,
  });
  return { text, key };
}

/**
 * Replaces a key by a successor with the same rights and lifetime. The old key ends after
 * `overlapMs`, or sooner where it was to end sooner. Throws `CommandFailure` where there is no such
 * key, and `conflict` for one that has ended.
 */
export async function rotateKey(
  keys: KeyStorage,
  environment: Environment,
  now: number,
  id: bigint,
  overlapMs: number,
): Promise<IssuedKey> {
  const text = generateKey(environment, randomBytes);
  const rotation = { hash: hashKey(text), at: now, overlapMs };
  const { successor, oldEndsAt } = found(await keys.rotate(id, rotation), id);
  return { text, key: successor, replaces: { id, until: oldEndsAt } };
}
