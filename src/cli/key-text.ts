import { InvalidArgumentError } from 'commander';
import type { ApiKey } from '../domain/api-key.ts';
import { int64FromText } from '../domain/int64.ts';
import { planOf } from '../domain/plan.ts';
import type { IssuedKey } from './issue-key.ts';

/** Reads the id of a key. */
export function keyIdOf(text: string): bigint {
  const id = int64FromText(text);
  if (id !== undefined && id > 0n) return id;
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
}

/** Ids of keys stay under 2^53, so a JSON number holds them. */
function facts(key: ApiKey) {
  const { perMinute, perDay } = planOf(key.plan, key.perMinute, key.perDay);
  const { name, plan, scopes } = key;
  return { id: Number(key.id), name, plan, scopes, perMinute, perDay };
}

function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** A new key for programs. */
export function newKeyJson({ text, key }: IssuedKey): string {
  const { id, ...rest } = facts(key);
  return JSON.stringify({ id, key: text, ...rest });
}

/** A new key for people. */
export function newKeyText({ text, key, replaces }: IssuedKey): string {
  const { perMinute, perDay, scopes } = facts(key);
  const lines = [
    text,
    '',
    `Key ${key.id} for ${key.name}: plan ${key.plan} (${perMinute} a minute, ${perDay} a day), ` +
      `scopes ${scopes.join(', ')}, ${key.expiresAt === null ? 'no end' : `good until ${time(key.expiresAt)}`}.`,
    'Keep it now: it is not stored and cannot be shown again.',
  ];
  if (replaces !== undefined) {
    lines.push(`Key ${replaces.id} stays good until ${time(replaces.until)}.`);
  }
  return lines.join('\n');
}

/** All keys for programs: a JSON array. */
export function keyListing(keys: readonly ApiKey[]): string {
  const rows = keys.map((key) => ({
    ...facts(key),
    createdAt: time(key.createdAt),
    expiresAt: time(key.expiresAt),
    lastUsedAt: time(key.lastUsedAt),
    revokedAt: time(key.revokedAt),
  }));
  return JSON.stringify(rows);
}

function stateOf(key: ApiKey, now: number): string {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt !== null && key.expiresAt <= now) return 'expired';
  return 'good';
}

/** All keys for people: a table. */
export function keyTable(keys: readonly ApiKey[], now: number): string {
  if (keys.length === 0) return 'There are no keys yet; make one with `petstore keys create`.';
  const day = (at: number | null) => time(at)?.slice(0, 10) ?? '-';
  const minute = (at: number | null) => time(at)?.slice(0, 16).replace('T', ' ') ?? 'never';
  const header = ['ID', 'NAME', 'PLAN', 'SCOPES', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'];
  const rows = keys.map((key) => [
    String(key.id),
    key.name,
    key.plan,
    key.scopes.join(','),
    stateOf(key, now),
    day(key.createdAt),
    day(key.expiresAt),
    minute(key.lastUsedAt),
  ]);
  return table([header, ...rows]);
}

/** Lines with their columns under each other. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ''))),
  );
  const pad = (cell: string, column: number) =>
    cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}
