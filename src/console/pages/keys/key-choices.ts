/** What a key may do and how often, in words for the person who chooses. */

import { showOnce } from '../../components/dialog.tsx';
import type { Options } from '../../components/field.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import type { IssuedKey, Key } from '../../service.ts';
import { SCOPES, type Scope } from '../../session.ts';

export type PlanName = Key['plan'];

export const NAME_MAX = 100;
/** The largest limit of the plan `enterprise`. */
export const LIMIT_MAX = 999_999_999_999_999;

/** What a key may do, by its scopes. */
const RIGHTS: Readonly<Record<string, string>> = {
  read: t`See animals and adoptions, without personal details`,
  'read,webhooks': t`See animals, and have changes sent to webhooks`,
  adopt: t`See animals, and start adoptions`,
  write: t`See everything, change animals and adoptions`,
  admin: t`Everything, with keys and webhooks`,
};

/** Whom a key is for, and what fits them at first. */
interface Purpose {
  readonly name: string;
  readonly hint: string;
  readonly scope: Scope;
  readonly plan: PlanName;
}

export const PURPOSES: Readonly<Record<'site' | 'partner', Purpose>> = {
  site: {
    name: t`A web site`,
    hint: t`It shows animals and starts adoptions. It never sees adopters or contacts.`,
    scope: 'adopt',
    plan: 'pro',
  },
  partner: {
    name: t`The program of a partner`,
    hint: t`It reads animals and adoptions. It never sees adopters, contacts or notes.`,
    scope: 'read',
    plan: 'free',
  },
};

export const SCOPE_OPTIONS: Options = Object.entries(RIGHTS);

const LIMITS: Readonly<Partial<Record<PlanName, readonly [perMinute: number, perDay: number]>>> = {
  free: [60, 1_000],
  pro: [300, 10_000],
  business: [1_000, 100_000],
};

export const PLAN_OPTIONS: Options = [
  ...Object.entries(LIMITS).map(
    ([plan, limits]) => [plan, `${planName(plan)}: ${limitsText(...limits)}`] as const,
  ),
  ['enterprise', t`${planName('enterprise')}: limits of your choice`],
];

/** `Business` */
export function planName(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1);
}

/** `60 requests a minute, 1,000 a day` */
export function limitsText(perMinute: number, perDay: number): string {
  return t`${formatNumber(perMinute)} requests a minute, ${formatNumber(perDay)} a day`;
}

/** Says what a key may do: its greatest scope includes the others. */
export function scopeText(scopes: readonly Scope[]): string {
  const own = scopes.join();
  if (own in RIGHTS) return RIGHTS[own] ?? '';
  const scope = SCOPES.findLast((one) => one in RIGHTS && scopes.includes(one));
  const text = (scope && RIGHTS[scope]) ?? t`Nothing`;
  const isMore = scopes.includes('webhooks') && scope !== 'admin';
  return isMore ? t`${text}, and manage webhooks of its own` : text;
}

const DAY_MS = 86_400_000;

export const EXPIRY_OPTIONS: Options = [
  ['', t`Never`],
  ['30', t`In 30 days`],
  ['90', t`In 90 days`],
  ['365', t`In a year`],
];

/** Returns the time after a number of days; undefined for none. */
export function expiryAfter(days: string): string | undefined {
  return days === '' ? undefined : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
}

/** Shows a new key. */
export function showKey({ name, key }: IssuedKey): void {
  void showOnce(t`The key of ${name}`, key);
}

/** The status of a key for a badge. */
export function statusOf({ status, ban }: Pick<Key, 'status' | 'ban'>): string {
  return status === 'active' && ban !== null ? 'banned' : status;
}
