import { InvalidArgumentError } from 'commander';
import type { ApiKey } from '../domain/api-key.ts';
import { int64FromText } from '../domain/int64.ts';
import type { IssuedKey } from '../domain/key-issuance.ts';
import { type Plan, planOf } from '../domain/plan.ts';

/** Reads the id of a key. */
export function keyIdOf(text: string): bigint {
  const id = int64FromText(text);
  if (id !== undefined && id > 0n) return id;
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
}

/** What is told of every key. Ids of keys stay under 2^53, so a JSON number holds them. */
export function keyFacts(key: ApiKey) {
  const { perMinute, perDay } = planOf(key.plan, key.perMinute, key.perDay);
  const { name, plan, scopes } = key;
  return { id: Number(key.id), name, plan, scopes, perMinute, perDay };
}

/** A time in milliseconds as RFC 3339, or null. */
export function timeText(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** A plan for people. */
export function planText({ name, perMinute, perDay }: Plan): string {
  return `${name} (${perMinute} requests a minute, ${perDay} a day)`;
}

/** A new key for programs. */
export function newKeyJson({ text, key }: IssuedKey): string {
  const { id, ...rest } = keyFacts(key);
  return JSON.stringify({ id, key: text, ...rest });
}

/** A new key for people. */
export function newKeyText({ text, key, replaces }: IssuedKey): string {
  const end = key.expiresAt === null ? 'no end' : `good until ${timeText(key.expiresAt)}`;
  const plan = planText(planOf(key.plan, key.perMinute, key.perDay));
  const lines = [
    text,
    '',
    `Key ${key.id} for ${key.name}: plan ${plan}, scopes ${key.scopes.join(', ')}, ${end}.`,
    'Keep it now: it is not stored and cannot be shown again.',
  ];
  if (replaces !== undefined) {
    lines.push(`Key ${replaces.id} stays good until ${timeText(replaces.until)}.`);
  }
  return lines.join('\n');
}
