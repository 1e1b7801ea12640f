import { FIXED_PLANS } from '../../../../src/domain/plan.ts';
import { expectDocumented } from '../../../contract/violations.ts';
import { type Client, createClient } from '../../../support/client.ts';
import { sqliteDatabaseAt } from '../../../support/engines.ts';
import { createServingKey, UNLIMITED } from '../../../support/serving.ts';
import { createTemporaryFolder } from '../../../support/temporary.ts';
import type { TestDatabase } from '../../../support/test-database.ts';
import { type LimitProbe, startLimitProbe } from './limit-probe.ts';
import { type KillKind, type KillTarget, startTarget } from './targets.ts';

/** A service that is killed again and again, on its own database. */
export interface KilledStore extends AsyncDisposable {
  readonly kind: KillKind;
  readonly target: KillTarget;
  readonly path: string;
  readonly database: TestDatabase;
  /** Its key reaches no limit. */
  readonly client: Client;
  /** Spends the limit of a free key, from one kill to the next. */
  readonly probe: LimitProbe;
  /** The responses of the client with a status from 500, to show why a request failed. */
  readonly failed: readonly string[];
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
  const target = parts.use(await startTarget(kind, settings));
  const failed: string[] = [];
  const probe = startLimitProbe(clientOf(target, free, failed), FIXED_PLANS.free.perMinute);
  parts.defer(async () => void (await probe.end()));
  const owned = parts.move();
  return {
    kind,
    target,
    path,
    probe,
    failed,
    database: sqliteDatabaseAt(path),
    client: clientOf(target, key, failed),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/**
 * A client with a connection for each request: on one that it has used before, and that turns out to be
 * closed, the runtime would send a request again by itself.
 */
function clientOf({ url }: KillTarget, key: string, failed: string[]): Client {
  const client = createClient(
    () => url,
    key,
    (seen) => {
      expectDocumented(seen);
      const { method, target, status, text } = seen;
      if (status >= 500) failed.push(`${method} ${target} ${status}: ${text}`);
    },
  );
  const once = { connection: 'close' };
  return {
    ...client,
    get: (path, headers) => client.get(path, { ...once, ...headers }),
    post: (path, body, headers) => client.post(path, body, { ...once, ...headers }),
    patch: (path, body, headers) => client.patch(path, body, { ...once, ...headers }),
    delete: (path, headers) => client.delete(path, { ...once, ...headers }),
  };
}
