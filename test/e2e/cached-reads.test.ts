import { setDefaultTimeout, test } from 'bun:test';
import { NO_CACHE } from '../../src/api/cache/response-cache.ts';
import { openServer } from '../../src/server/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStorage } from '../../src/storage/open.ts';
import { walk } from '../api/cache/walk.ts';
import { createInstance } from '../cluster/instance.ts';
import { createClient } from '../support/client.ts';
import { createServingKey, UNLIMITED } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { createRandom } from './crash/random.ts';

setDefaultTimeout(120_000);

const STEPS = 150;

test('two processes on one file answer as the database does, after every change of either', async () => {
  using folder = createTemporaryFolder();
  const settings = {
    PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}`,
    PETSTORE_BASE_URL: 'http://petstore.example/v1',
    PETSTORE_LOG_LEVEL: 'error',
    PETSTORE_OPS_PORT: 'off',
    PETSTORE_PORT: '0',
    PETSTORE_TRUSTED_PROXIES: '127.0.0.1',
  };
  const key = await createServingKey(settings, '--scopes', 'admin', ...UNLIMITED);
  await using first = createInstance(settings);
  await using second = createInstance(settings);
  await Promise.all([first.start(), second.start()]);
  const plain = await openServer(readConfig({}, settings), { cache: NO_CACHE });
  const storage = await openStorage(settings.PETSTORE_DATABASE, 'production');
  try {
    const clientOf = ({ url }: { url: string }) =>
      createClient(
        () => url,
        key,
        () => {},
      );
    const servers = {
      caching: [clientOf(first), clientOf(second)],
      plain: clientOf(plain),
      storage,
    };
    await walk(servers, createRandom(3), STEPS);
  } finally {
    await storage.close();
    await plain.close();
  }
});
