import { expect, test } from 'bun:test';
import { FIXED_PLANS } from '../../../src/domain/plan.ts';
import { lossesIn, roomInTheMinute } from '../../limits/shared-minute.ts';
import { startValkey } from '../../limits/valkey-server.ts';
import { createClient } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { eachOnce, leftAfterGranted } from '../../support/granted.ts';
import { createServingKey, startServing } from '../../support/serving.ts';
import { createTemporaryFolder } from '../../support/temporary.ts';

const WORKERS = 2;
/** Sends a request on a connection of its own, so that any worker may get it. */
const apart = { connection: 'close' };

test(`two workers that have lost Valkey grant a plan once`, async () => {
  using folder = createTemporaryFolder();
  await using valkey = await startValkey();
  const settings = {
    PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}`,
    PETSTORE_LIMITS: valkey.address,
    PETSTORE_LOG_LEVEL: 'warn',
  };
  const key = await createServingKey(settings, '--plan', 'free');
  await using serving = await startServing(settings, '--workers', String(WORKERS));
  await using _away = await valkey.kill();
  await eventually(
    () => lossesIn(serving.output()),
    (count) => count === WORKERS,
  );
  await roomInTheMinute();
  const client = createClient(() => `http://127.0.0.1:${serving.port}`, key);
  const { perMinute } = FIXED_PLANS.free;
  const sent = Array.from({ length: 2 * perMinute }, () => client.get('/v1/pets', apart));
  expect(leftAfterGranted(await Promise.all(sent))).toEqual(eachOnce(perMinute));
}, 60_000);
