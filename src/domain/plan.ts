export const PLAN_NAMES = ['free', 'pro', 'business', 'enterprise'] as const;
/** Also the plan of people, which nobody chooses. */
export const ALL_PLAN_NAMES = [...PLAN_NAMES, 'staff'] as const;
export type PlanName = (typeof ALL_PLAN_NAMES)[number];

/** The largest limit of the plan `enterprise`. */
export const PLAN_LIMIT_MAX = 999_999_999_999_999;

/** Number of requests that a key may send. */
export interface Plan {
  readonly name: PlanName;
  /** Per UTC minute. */
  readonly perMinute: number;
  /** Per UTC day. */
  readonly perDay: number;
}

/** The plans with fixed limits. `enterprise` has the limits that are stored with the key. */
export const FIXED_PLANS = {
  free: { name: 'free', perMinute: 60, perDay: 1_000 },
  pro: { name: 'pro', perMinute: 300, perDay: 10_000 },
  business: { name: 'business', perMinute: 1_000, perDay: 100_000 },
  staff: { name: 'staff', perMinute: 1_000, perDay: 100_000 },
} as const satisfies Record<Exclude<PlanName, 'enterprise'>, Plan>;

/** A plan that an operator asks for. */
export interface PlanRequest {
  readonly plan: PlanName;
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
}

/** Why limits do not fit a plan: `enterprise` needs both, the other plans take none. */
export type PlanProblem = 'limits_missing' | 'limits_not_allowed';

/** Returns the requested plan with its limits, or why the limits do not fit it. */
export function requestedPlan({ plan, perMinute, perDay }: PlanRequest): Plan | PlanProblem {
  if (plan !== 'enterprise') {
    const hasLimits = perMinute !== undefined || perDay !== undefined;
    return hasLimits ? 'limits_not_allowed' : FIXED_PLANS[plan];
  }
  if (perMinute === undefined || perDay === undefined) return 'limits_missing';
  return { name: plan, perMinute, perDay };
}

/**
 * Returns the plan of a key after a change, or why the limits do not fit it. What the change leaves
 * out stays as it is. Limits of the key that the change only repeats are no limits for a fixed plan.
 */
export function changedPlan(
  current: Plan,
  change: { readonly [K in keyof PlanRequest]?: PlanRequest[K] | undefined },
): Plan | PlanProblem {
  const { plan = current.name, perMinute, perDay } = change;
  if (plan !== 'enterprise') {
    const news = <T>(value: T, known: T) => (value === known ? undefined : value);
    return requestedPlan({
      plan,
      perMinute: news(perMinute, current.perMinute),
      perDay: news(perDay, current.perDay),
    });
  }
  const known = current.name === plan ? current : undefined;
  return requestedPlan({
    plan,
    perMinute: perMinute ?? known?.perMinute,
    perDay: perDay ?? known?.perDay,
  });
}

/** Returns the plan of a stored key. */
export function planOf(name: PlanName, perMinute: number | null, perDay: number | null): Plan {
  if (name !== 'enterprise') return FIXED_PLANS[name];
  return { name, perMinute: perMinute ?? 0, perDay: perDay ?? 0 };
}

/** Returns the limits to store with a key: those of `enterprise`, null for the fixed plans. */
export function numbersOnKey(plan: Plan) {
  if (plan.name !== 'enterprise') return { perMinute: null, perDay: null };
  return { perMinute: plan.perMinute, perDay: plan.perDay };
}
