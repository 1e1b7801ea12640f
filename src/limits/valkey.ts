import {
  type Allowance,
  type AllowanceStorage,
  type Decision,
  type Limiter,
  type LimitRules,
  perMinuteOf,
  type QuotaStatus,
  type Refusal,
} from '../domain/allowance.ts';
import type { Caller } from '../domain/api-key.ts';
import { SECOND_MS } from '../domain/clock.ts';
import type { Environment } from '../domain/deployment.ts';
import { batchCharges } from './batched-charges.ts';
import { shownAddress } from './engine-address.ts';
import { createLocalLimiter, type LocalLimiter } from './local.ts';
import addressScript from './valkey-address.lua' with { type: 'text' };
import keyScript from './valkey-key.lua' with { type: 'text' };
import { type LinkLog, scriptOf, ValkeyLink } from './valkey-link.ts';
import windowsScript from './valkey-windows.lua' with { type: 'text' };
import { addressStatus, keyStatus } from './windows-and-bans.ts';

/** Options of a limiter that shares its counts through Valkey or Redis. */
export interface ValkeyOptions {
  readonly address: string;
  readonly environment: Environment;
  readonly rules: LimitRules;
  /** Whose clock the windows follow: the engine's, or in tests the caller's. */
  readonly time: 'server' | 'caller';
  readonly log: LinkLog;
  /** `BOUND_MS` by default. */
  readonly boundMs?: number;
}

/** The engine that holds the counts does not reply, so they cannot be reported. */
export class UnreachableLimits extends Error {}

/** Stores nothing: counts of a single instance must never mix with shared ones. */
const NOT_STORED: AllowanceStorage = {
  find: async () => undefined,
  list: async () => [],
  save: async () => {},
};

/** The longest wait of a request for the engine. */
export const BOUND_MS = 50;
const KEY = scriptOf(windowsScript + keyScript);
const ADDRESS = scriptOf(windowsScript + addressScript);

/**
 * Opens a limiter that many instances share. A script counts like the local limiter, for all
 * requests of one turn at once. While the engine is lost, this instance counts by itself, from what the
 * engine told it last; these counts are never merged. docs/decisions/0008-shared-limits.md says why.
 */
export async function openValkeyLimiter(options: ValkeyOptions): Promise<Limiter> {
  const { address, rules, environment } = options;
  const hashOf = (kind: HashKind, id: bigint | string) => hashName(environment, kind, id);
  const link = await ValkeyLink.open({
    address,
    boundMs: options.boundMs ?? BOUND_MS,
    log: options.log,
    probe: { script: ADDRESS, key: hashOf('probe', 'probe'), args: ['', 'charge', '1', '1000'] },
  });
  const alone = createLocalLimiter(NOT_STORED, rules);
  let localFallbacks = 0;

  const { time } = options;
  const timeOf = (now: number) => (time === 'caller' ? String(now) : '');

  const ofKey = batchCharges<Caller>({
    time,
    send({ who, now, cost }, count) {
      const args = [timeOf(now), cost, String(count), ...argumentsOf(who, rules)];
      return link.run({ script: KEY, key: hashOf('key', who.familyId), args });
    },
    read: (outcome, who) => keyDecision(outcome, who, alone),
    async decideAlone({ who, now, cost }) {
      localFallbacks++;
      return cost === 'charge' ? alone.charge(who, now) : granted(await alone.peek(who, now));
    },
  });

  const ofAddress = batchCharges<string>({
    time,
    send({ who, now, cost }, count) {
      const args = [timeOf(now), cost, String(count), String(perMinuteOf(who, rules))];
      return link.run({ script: ADDRESS, key: hashOf('address', who), args });
    },
    read(outcome, who) {
      const [at, refusal, used] = items(outcome);
      alone.noteAddress(who, count(used), count(at));
      const quota = addressStatus(perMinuteOf(who, rules), count(used), count(at));
      return { quota, refusal: refusalIn(refusal) };
    },
    async decideAlone({ who, now, cost }) {
      localFallbacks++;
      if (cost === 'charge') return alone.chargeAddress(who, now);
      return granted(await alone.peekAddress(who, now));
    },
  });

  return {
    charge: (caller, now) => ofKey(caller, now, 'charge'),
    peek: async (caller, now) => (await ofKey(caller, now, 'peek')).quota,
    chargeAddress: (group, now) => ofAddress(group, now, 'charge'),
    peekAddress: async (group, now) => (await ofAddress(group, now, 'peek')).quota,
    // The engine stores its own counts; those of this instance are kept nowhere.
    flush: alone.flush,
    async report(familyIds) {
      try {
        return await readAllowances(link, environment, familyIds);
      } catch (error) {
        const message = `the limits at ${shownAddress(address)} cannot be read`;
        throw new UnreachableLimits(message, { cause: error });
      }
    },
    sharing: () => ({ shared: link.connected, outages: link.outages, localFallbacks }),
    close: async () => link.close(),
  };
}

type HashKind = 'key' | 'address' | 'probe';

/** Returns the name of a hash. A cluster places it by the part in braces. */
function hashName(environment: Environment, kind: HashKind, id: bigint | string): string {
  return `petstore:${environment}:${kind}:{${id}}`;
}

function granted(quota: QuotaStatus): Decision {
  return { quota, refusal: undefined };
}

/** Returns the arguments of the key script after time, cost and count. */
function argumentsOf({ plan, unbannedAt }: Caller, rules: LimitRules): string[] {
  const numbers = [plan.perMinute, plan.perDay, unbannedAt ?? 0];
  const lengths = [rules.banSeconds, rules.banMaxSeconds].map((seconds) => seconds * SECOND_MS);
  return [...numbers, rules.banRefusals, ...lengths].map(String);
}

/** Reads what the script returned, and lets the limiter of this instance know. */
function keyDecision(
  response: unknown,
  caller: Caller,
  alone: Pick<LocalLimiter, 'note'>,
): Decision {
  const [at, refusal, minuteUsed, dayUsed, bannedUntil, setsBan] = items(response);
  const use = {
    minuteUsed: count(minuteUsed),
    dayUsed: count(dayUsed),
    bannedUntil: count(bannedUntil),
  };
  alone.note(caller, use, count(at));
  const quota = keyStatus(caller.plan, use, count(at));
  const decision = { quota, refusal: refusalIn(refusal) };
  return count(setsBan) === 1 ? { ...decision, setsBan: true } : decision;
}

function items(response: unknown): readonly unknown[] {
  if (Array.isArray(response)) return response;
  throw new TypeError('the script returned no list');
}

function count(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new TypeError('the script returned something else than a number');
}

function refusalIn(value: unknown): Refusal | undefined {
  if (value === '') return undefined;
  if (value === 'minute' || value === 'day' || value === 'banned') return value;
  throw new TypeError('the script returned an unknown refusal');
}

/** The fields of the hash of a key, as valkey-key.lua names them. */
const FIELDS = [
  ...['minuteStart', 'minuteUsed', 'minuteOtherStart', 'minuteOtherUsed'],
  ...['dayStart', 'dayUsed', 'dayOtherStart', 'dayOtherUsed'],
  ...['refusalsStart', 'refusals', 'bans', 'bannedUntil', 'liftedAt'],
];

async function readAllowances(
  link: ValkeyLink,
  environment: Environment,
  familyIds: readonly bigint[],
): Promise<readonly Allowance[]> {
  const read = (familyId: bigint) => link.read(hashName(environment, 'key', familyId), FIELDS);
  const stored = await Promise.all(familyIds.map(read));
  return familyIds.flatMap((familyId, i) => allowanceOf(familyId, stored[i]) ?? []);
}

/** Returns the allowance in the hash of a key, or undefined if there is none. */
function allowanceOf(keyId: bigint, stored: unknown): Allowance | undefined {
  const values = items(stored);
  if (values.every((value) => value === null)) return undefined;
  const of = (field: string) => Number(values[FIELDS.indexOf(field)] ?? 0);
  const window = (name: string) => ({
    start: of(`${name}Start`),
    used: of(`${name}Used`),
    otherStart: of(`${name}OtherStart`),
    otherUsed: of(`${name}OtherUsed`),
  });
  return {
    keyId,
    minute: window('minute'),
    day: window('day'),
    refusalsStart: of('refusalsStart'),
    refusals: of('refusals'),
    bans: of('bans'),
    bannedUntil: of('bannedUntil'),
    unbannedAt: of('liftedAt'),
  };
}
