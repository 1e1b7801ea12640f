import type { AllowanceStorage, Limiter } from '../domain/allowance.ts';
import { isHost, percentProblem } from '../domain/network-list.ts';
import { isValidSentinelAddress } from './engine-address.ts';
import { createLocalLimiter } from './local.ts';
import type { ValkeyOptions } from './valkey.ts';

/** The limiter of a single process. */
export const MEMORY = 'memory:';
const SHARED = /^(?:rediss?|valkey):$/;
const DATABASE_NUMBER = /^\/?[0-9]{0,4}$/;

/** Returns the problem with an address of limits, or undefined if it can be opened. */
export function limitsAddressProblem(address: string): string | undefined {
  if (address === MEMORY) return undefined;
  if (isValidSentinelAddress(address)) return percentProblem(address);
  const url = URL.parse(address);
  const isShared = url !== null && SHARED.test(url.protocol) && isHost(url.hostname, '[]');
  const isPlain = url?.search === '' && url.hash === '' && DATABASE_NUMBER.test(url.pathname);
  if (isShared && isPlain) return percentProblem(address);
  return (
    `must be ${MEMORY} or redis://HOST:PORT, such as redis://127.0.0.1:6379, ` +
    'or redis+sentinel://HOST:PORT,HOST:PORT/NAME'
  );
}

/** Options of every limiter. */
interface LimiterParts extends Omit<ValkeyOptions, 'boundMs'> {
  /** Saves what this process counts. */
  readonly storage: AllowanceStorage;
}

/** Opens the limiter of a server. The code for Valkey is loaded only if it is used. */
export async function openLimiter(parts: LimiterParts): Promise<Limiter> {
  const { address, storage, rules } = parts;
  if (address === MEMORY) return createLocalLimiter(storage, rules);
  const { openValkeyLimiter } = await import('./valkey.ts');
  return openValkeyLimiter(parts);
}
