import type { Allowance } from '../domain/allowance.ts';
import type { ApiKey } from '../domain/api-key.ts';
import { DAY_MS } from '../domain/clock.ts';
import { type IssuedKey, keyStatus } from '../domain/key-lifecycle.ts';
import { type Plan, planOf } from '../domain/plan.ts';
import { table } from './print.ts';
import { programName } from './program-name.ts';

/** The facts that every output shows. Ids of keys stay below 2^53, so a JSON number holds them. */
function keyFacts(key: ApiKey) {
  const { perMinute, perDay } = planOf(key.plan, key.perMinute, key.perDay);
  const { name, plan, scopes } = key;
  return { id: Number(key.id), name, plan, scopes, perMinute, perDay };
}

/** Formats milliseconds as RFC 3339. */
export function timeText(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** Formats milliseconds for a table: `2026-11-21 15:04`; null as `absent`. */
export function minuteText(at: number | null, absent: string): string {
  return timeText(at)?.slice(0, 16).replace('T', ' ') ?? absent;
}

export function planText({ name, perMinute, perDay }: Plan): string {
  return `${name} (${perMinute} requests a minute, ${perDay} a day)`;
}

/** Formats a new key as JSON. */
export function newKeyJson({ text, key }: IssuedKey): string {
  const { id, ...rest } = keyFacts(key);
  return JSON.stringify({ id, key: text, ...rest });
}

/** Formats a new key for people. */
export function newKeyText({ text, key, replaces }: IssuedKey): string {
  const end = key.expiresAt === null ? 'does not expire' : `expires ${timeText(key.expiresAt)}`;
  const plan = planText(planOf(key.plan, key.perMinute, key.perDay));
  const lines = [
    text,
    '',
    `Key ${key.id} for ${key.name}: plan ${plan}, scopes ${key.scopes.join(', ')}, ${end}.`,
    'Save it now: it is not stored and cannot be shown again.',
  ];
  if (replaces !== undefined) {
    lines.push(`Key ${replaces.id} still works until ${timeText(replaces.until)}.`);
  }
  return lines.join('\n');
}

/** A key with its use today and its ban. */
interface KeyInUse {
  readonly key: ApiKey;
  readonly state: 'active' | 'banned' | 'expired' | 'revoked';
  /**
   * Requests in this UTC day by the key and the keys that share its limits. Servers store their
   * counts every second, so the last second may be missing.
   */
  readonly usedToday: number;
  /** Milliseconds since the Unix epoch. */
  readonly bannedUntil: number | null;
}

/** Joins keys and their counts. */
export function keysInUse(
  keys: readonly ApiKey[],
  allowances: readonly Allowance[],
  now: number,
): readonly KeyInUse[] {
  const byFamily = new Map(allowances.map((allowance) => [allowance.keyId, allowance]));
  return keys.map((key) => {
    const allowance = byFamily.get(key.familyId);
    const bannedUntil = allowance === undefined ? null : banEnd(key, allowance, now);
    return {
      key,
      usedToday: usedToday(allowance, now),
      bannedUntil,
      state: state(key, bannedUntil, now),
    };
  });
}

function usedToday(allowance: Allowance | undefined, now: number): number {
  if (allowance === undefined) return 0;
  const { start, used, otherStart, otherUsed } = allowance.day;
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  if (start === today) return used;
  return otherStart === today ? otherUsed : 0;
}

/** The end of a ban, or null. A lifted ban is over even before a server has noticed. */
function banEnd({ unbannedAt }: ApiKey, allowance: Allowance, now: number): number | null {
  const lifted = unbannedAt !== null && unbannedAt > allowance.unbannedAt;
  return !lifted && allowance.bannedUntil > now ? allowance.bannedUntil : null;
}

function state(key: ApiKey, bannedUntil: number | null, now: number): KeyInUse['state'] {
  const status = keyStatus(key, now);
  if (status !== 'active') return status;
  return bannedUntil === null ? status : 'banned';
}

/** Formats keys as a JSON array. */
export function keyListing(rows: readonly KeyInUse[]): string {
  return JSON.stringify(
    rows.map(({ key, usedToday, bannedUntil }) => ({
      ...keyFacts(key),
      replaces: key.predecessorId === null ? null : Number(key.predecessorId),
      usedToday,
      bannedUntil: timeText(bannedUntil),
      createdAt: timeText(key.createdAt),
      expiresAt: timeText(key.expiresAt),
      lastUsedAt: timeText(key.lastUsedAt),
      revokedAt: timeText(key.revokedAt),
    })),
  );
}

const HEADER = [
  'ID',
  'NAME',
  'PLAN',
  'SCOPES',
  'STATE',
  'TODAY',
  'LAST USED',
  'CREATED',
  'EXPIRES',
];

/** Formats keys as a table. */
export function keyTable(rows: readonly KeyInUse[]): string {
  if (rows.length === 0)
    return `There are no keys yet. Create one with \`${programName()} keys create\`.`;
  const day = (at: number | null) => timeText(at)?.slice(0, 10) ?? '-';
  const cells = rows.map(({ key, state, usedToday, bannedUntil }) => [
    String(key.id),
    key.name,
    key.plan,
    key.scopes.join(','),
    bannedUntil === null ? state : `${state} until ${minuteText(bannedUntil, '')}`,
    `${usedToday} of ${keyFacts(key).perDay}`,
    minuteText(key.lastUsedAt, 'never'),
    day(key.createdAt),
    day(key.expiresAt),
  ]);
  return `${table([HEADER, ...cells])}\nTimes are UTC.`;
}
