import type { ApiKey } from '../domain/api-key.ts';
import type { IssuedKey } from '../domain/key-issuance.ts';
import { type Plan, planOf } from '../domain/plan.ts';

/** The facts that every output shows. Ids of keys stay below 2^53, so a JSON number holds them. */
export function keyFacts(key: ApiKey) {
  const { perMinute, perDay } = planOf(key.plan, key.perMinute, key.perDay);
  const { name, plan, scopes } = key;
  return { id: Number(key.id), name, plan, scopes, perMinute, perDay };
}

/** Formats milliseconds as RFC 3339. */
export function timeText(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
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
