import { FIXED_PLANS } from '../../../src/domain/plan.ts';
import { expectDocumented, type SeenExchange } from '../../contract/violations.ts';
import { type Client, createClient } from '../../support/client.ts';
import { sqliteDatabaseAt } from '../../support/engines.ts';
import { createServingKey, UNLIMITED } from '../../support/serving.ts';
import { createTemporaryFolder } from '../../support/temporary.ts';
import type { TestDatabase } from '../../support/test-database.ts';
import { type LimitProbe, startLimitProbe } from './limit-probe.ts';
import { type KillKind, startVictim, type Victim } from './victims.ts';

/** A service that is killed again and again, on its own database. */
export interface KilledStore extends AsyncDisposable {
  readonly kind: KillKind;
  readonly victim: Victim;
  readonly path: string;
  readonly database: TestDatabase;
  /** Its key reaches no limit. */
  readonly client: Client;
  /** Spends the limit of a free key, from one kill to the next. */
  readonly probe: LimitProbe;
}

/** Starts the service on a new database. */
export async function startKilledStore(kind: KillKind): Promise<KilledStore> {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(createTemporaryFolder());
  const path = folder.file('petstore.db');
  const settings = {
    PETSTORE_DATABASE: `sqlite:${path}`,
    PETSTORE_LOG_LEVEL: 'error',
    // A machine busy with other tests must not cause refusals.
    PETSTORE_MAX_QUEUE_MS: '3600000',
  };
  const key = await createServingKey(settings, ...UNLIMITED);
  const free = await createServingKey(settings, '--plan', 'free');
  const victim = parts.use(await startVictim(kind, settings));
  const probe = startLimitProbe(clientOf(victim, free), FIXED_PLANS.free.perMinute);
  parts.defer(async () => void (await probe.end()));
  const owned = parts.move();
  return {
    ...{ kind, victim, path, probe },
    database: sqliteDatabaseAt(path),
    client: clientOf(victim, key),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/**
 * A client with a connection for each request that changes something: on a connection that turns out
 * to be closed, the runtime would send the request again by itself.
 */
function clientOf({ url }: Victim, key: string): Client {
  const client = createClient(() => url, key, expectDocumentedOrCut);
  const once = { connection: 'close' };
  return {
    ...client,
    post: (path, body, headers) => client.post(path, body, { ...once, ...headers }),
    patch: (path, body, headers) => client.patch(path, body, { ...once, ...headers }),
    delete: (path, headers) => client.delete(path, { ...once, ...headers }),
  };
}

/** The runtime sends an empty 503 for a request of a thread that is terminated, and closes the connection. */
function expectDocumentedOrCut(seen: SeenExchange): void {
  if (seen.status === 503 && seen.text === '') {
    // With a code, as the errors of broken connections have one.
    throw Object.assign(new Error('the thread was terminated'), { code: 'ThreadTerminated' });
  }
  expectDocumented(seen);
}
