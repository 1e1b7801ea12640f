import type { AllowanceStorage, Limiter } from '../domain/allowance.ts';
import type { MaybePromise } from '../domain/maybe-promise.ts';
import { createMemoryLimiter } from './memory.ts';
import type { ValkeyOptions } from './valkey.ts';

/** The limiter of one process alone. */
export const MEMORY = 'memory:';
const SHARED = /^(?:rediss?|valkey):$/;
const DATABASE_NUMBER = /^\/?[0-9]{0,4}$/;

/** Says what is wrong with an address of limits, or undefined for one that can be opened. */
export function limitsAddressProblem(address: string): string | undefined {
  if (address === MEMORY) return undefined;
  const url = URL.parse(address);
  const isShared = url !== null && SHARED.test(url.protocol) && url.hostname !== '';
  const isPlain = url?.search === '' && url.hash === '' && DATABASE_NUMBER.test(url.pathname);
  if (isShared && isPlain) return undefined;
  return `must be ${MEMORY} or redis://HOST:PORT, such as redis://127.0.0.1:6379`;
}

/** What a limiter is made of, wherever it keeps its counts. */
export interface LimiterParts extends Omit<ValkeyOptions, 'boundMs'> {
  /** Where counts are kept that are made in memory. */
  readonly storage: AllowanceStorage;
}

/** Opens the limiter of a server. What a single instance does without is loaded only here. */
export function openLimiter(parts: LimiterParts): MaybePromise<Limiter> {
  if (parts.address === MEMORY) return createMemoryLimiter(parts.storage, parts.rules);
  return import('./valkey.ts').then(({ openValkeyLimiter }) => openValkeyLimiter(parts));
}
