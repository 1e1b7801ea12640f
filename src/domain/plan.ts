export const PLAN_NAMES = ['free', 'pro', 'business', 'enterprise'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** How many requests a plan lets through. */
export interface Plan {
  readonly name: PlanName;
  /** Per UTC minute. */
  readonly perMinute: number;
  /** Per UTC day. */
  readonly perDay: number;
}

/** The plans with fixed numbers; those of `enterprise` stand on the key. */
export const FIXED_PLANS = {
  free: { name: 'free', perMinute: 60, perDay: 1_000 },
  pro: { name: 'pro', perMinute: 300, perDay: 10_000 },
  business: { name: 'business', perMinute: 1_000, perDay: 100_000 },
} as const satisfies Record<Exclude<PlanName, 'enterprise'>, Plan>;

/** The plan of a key: its name, with the key's own numbers where the plan has none. */
export function planOf(name: PlanName, perMinute: number | null, perDay: number | null): Plan {
  if (name !== 'enterprise') return FIXED_PLANS[name];
  return { name, perMinute: perMinute ?? 0, perDay: perDay ?? 0 };
}

/** The numbers that stand on the key itself: those of `enterprise`, none for the other plans. */
export function numbersOnKey(plan: Plan): {
  readonly perMinute: number | null;
  readonly perDay: number | null;
} {
  if (plan.name !== 'enterprise') return { perMinute: null, perDay: null };
  return { perMinute: plan.perMinute, perDay: plan.perDay };
}
