import { expect, test } from 'bun:test';
import { openValkeyLimiter } from '../../src/limits/valkey.ts';
import { RULES } from '../limits/conformance.ts';
import { roomInTheMinute } from '../limits/shared-minute.ts';
import { startValkey } from '../limits/valkey-server.ts';
import { createWorkspace, expectFailure } from './workspace.ts';

test('keys list shows use and bans from the shared limits', async () => {
  using workspace = createWorkspace();
  await using valkey = await startValkey();
  const made = await workspace.output('keys', 'create', '--name', 'a', '--plan', 'free', '--json');
  const plan = { name: 'free', perMinute: 3, perDay: 1_000 } as const;
  const keyId = BigInt(JSON.parse(made).id);
  const caller = {
    keyId,
    familyId: keyId,
    scopes: [],
    plan,
    unbannedAt: null,
    name: 'a test',
    expiresAt: null,
  };
  const limiter = await openValkeyLimiter({
    address: valkey.address,
    environment: 'production',
    rules: RULES,
    boundMs: 10_000,
    time: 'server',
    log: { info: () => undefined, warn: () => undefined },
  });
  await roomInTheMinute();
  for (let i = 0; i < 3 + RULES.banRefusals; i++) await limiter.charge(caller, 0);
  await limiter.close();

  const list = async (limits: string) =>
    JSON.parse(await workspace.output('keys', 'list', '--json', '--limits', limits));
  const [counted] = await list(valkey.address);
  expect(counted).toMatchObject({ usedToday: 3, bannedUntil: expect.any(String) });
  expect(await list('memory:')).toMatchObject([{ usedToday: 0, bannedUntil: null }]);

  await valkey.kill();
  const failed = await workspace.run('keys', 'list', '--limits', valkey.address);
  expectFailure(failed, 1, /^petstore: the limits at redis:\S+ cannot be read \(it cannot be/);
}, 60_000);
