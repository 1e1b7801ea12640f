import type { AllowanceStorage, Limiter, LimitRules } from '../domain/allowance.ts';
import { createMemoryLimiter } from './memory.ts';

/** Opens the limiter of a server. */
export function openLimiter(storage: AllowanceStorage, rules: LimitRules): Limiter {
  return createMemoryLimiter(storage, rules);
}
