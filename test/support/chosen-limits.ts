import type { Limiter } from '../../src/domain/allowance.ts';
import { openValkeyLimiter } from '../../src/limits/valkey.ts';
import type { Config } from '../../src/settings/config.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { startValkey, type ValkeyServer } from '../limits/valkey-server.ts';

/** Where a test server counts requests. */
export interface TestLimits {
  /** In the format of PETSTORE_LIMITS. */
  readonly address: string;
  /** A limiter for a server with a test clock; undefined where the server opens its own. */
  open(config: Config, log: Log): Promise<Limiter> | undefined;
}

/** State that all files of a test run share: Bun loads this module again for each file. */
interface Shared {
  server: Promise<ValkeyServer> | undefined;
  used: number;
}

const KEY = Symbol.for('petstore.test.valkey');
// The symbol is our own, so nothing else uses it.
const everywhere = globalThis as { [KEY]?: Shared };
everywhere[KEY] ??= { server: undefined, used: 0 };
const shared = everywhere[KEY];

/** More databases than test servers start in one run; each server gets an empty one. */
const DATABASES = 10_000;
/** Tests of counts must not reach the deadline, even on a busy machine. */
const LONG_BOUND_MS = 10_000;

const memory: TestLimits = {
  address: 'memory:',
  // A test may set another address.
  open: (rules, log) =>
    rules.limits.startsWith('redis:') ? openPatientLimiter(rules, log) : undefined,
};

async function emptyValkey(): Promise<TestLimits> {
  shared.server ??= startValkey('--databases', String(DATABASES));
  const address = `${(await shared.server).address}/${shared.used++}`;
  return {
    address,
    open(rules, log) {
      // A test may set another address.
      if (rules.limits !== address) return undefined;
      return openPatientLimiter(rules, log);
    },
  };
}

/** Opens the configured Valkey limiter for a test clock. */
export function openPatientLimiter(rules: Config, log: Log): Promise<Limiter> {
  const { limits: address, environment } = rules;
  const unhurried = { time: 'caller', boundMs: LONG_BOUND_MS } as const;
  return openValkeyLimiter({ address, environment, rules, log, ...unhurried });
}

/** Where API tests count requests: in memory, or in Valkey with PETSTORE_TEST_LIMITS. */
export async function chosenLimits(): Promise<TestLimits> {
  const name = process.env['PETSTORE_TEST_LIMITS'] ?? 'memory';
  if (name === 'memory') return memory;
  if (name !== 'valkey') throw new Error(`PETSTORE_TEST_LIMITS names no limits: ${name}`);
  return await emptyValkey();
}
