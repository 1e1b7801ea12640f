import { expect, setDefaultTimeout, test } from 'bun:test';
import { NO_CACHE, type ResponseCache } from '../../../src/api/cache/response-cache.ts';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { openServer } from '../../../src/server/server.ts';
import { readConfig } from '../../../src/settings/config.ts';
import { createRandom } from '../../e2e/crash/random.ts';
import { createClient } from '../../support/client.ts';
import { sampleOf, scrape } from '../../support/scrape.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';
import { walk } from './walk.ts';

setDefaultTimeout(240_000);

const SETTINGS = {
  PETSTORE_BASE_URL: 'http://petstore.example/v1',
  PETSTORE_TRUSTED_PROXIES: '127.0.0.1',
};
const STEPS = 250;
/** Another one takes another walk. */
const SEED = 1;

/** Opens another server on the same database. */
function openBeside({ database, clock }: TestPetstore, cache?: ResponseCache) {
  const variables = {
    PETSTORE_DATABASE: database.address,
    ...SETTINGS,
    PETSTORE_PORT: '0',
    PETSTORE_OPS_PORT: '0',
    PETSTORE_LOG_LEVEL: 'error',
  };
  return openServer(readConfig({}, variables), { clock, ...(cache && { cache }) });
}

test('after every change, each answer is the one of the database, here and elsewhere', async () => {
  await using petstore = await startPetstore({ settings: SETTINGS });
  const { storage, clock } = petstore;
  const pass = (days: number) => clock.advance(days * DAY_MS);
  const other = await openBeside(petstore);
  const plain = await openBeside(petstore, NO_CACHE);
  try {
    const { text } = await petstore.keyWith({ scopes: ['admin'] });
    const clientOf = ({ url }: { url: string }) =>
      createClient(
        () => url,
        text,
        () => {},
      );
    const caching = [clientOf(petstore), clientOf(other)];
    const servers = { caching, plain: clientOf(plain), storage, pass };
    await walk(servers, createRandom(SEED), STEPS);
    const metrics = await scrape(other.metricsUrl ?? '');
    // Without cached responses this test would prove nothing.
    const hits = sampleOf(metrics, 'petstore_response_cache_lookups_total{result="hit"}');
    expect(hits).toBeGreaterThan(5 * STEPS);
  } finally {
    await other.close();
    await plain.close();
  }
});
