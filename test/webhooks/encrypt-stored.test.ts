import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Storage } from '../../src/domain/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createSecretCipher, encryptStoredSecrets } from '../../src/webhooks/secrets.ts';
import { examined } from '../doctor/examination.ts';
import { chosenEngine, type TestDatabase } from '../support/engines.ts';

// A busy machine takes long for a database.
setDefaultTimeout(60_000);

const [OLD, NEW, LOST] = ['11', '22', '33'].map((byte) => byte.repeat(32)) as [
  string,
  string,
  string, // As many as there are bytes.
];
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const HOOK = { url: 'https://shop.example/', types: null, description: null, createdAt: 1 };

describe.each([chosenEngine()])('secrets of webhooks on $name', (engine) => {
  let database: TestDatabase;
  let storage: Storage;
  beforeEach(async () => {
    database = await engine.createDatabase();
    storage = await openStorage(database.address, 'production');
  });
  afterEach(async () => {
    await storage.close();
    await database[Symbol.asyncDispose]();
  });

  const create = (keys: readonly string[]) =>
    storage.webhooks.create(HOOK, (id) => createSecretCipher(keys).encrypt(SECRET, id));
  const encrypt = (keys: readonly string[]) =>
    encryptStoredSecrets(storage.webhooks, createSecretCipher(keys));
  const stored = async () => await database.sql('SELECT secret, old_secret FROM webhooks');
  /** What `petstore doctor` says of secrets: the verdict, the sentence and the advice. */
  const found = async (keys: readonly string[]) => {
    const settings = { PETSTORE_DATABASE: database.address, PETSTORE_SECRET_KEY: keys.join() };
    const findings = await examined(settings);
    return findings
      .filter((finding) => /secret/.test(finding.found))
      .map(({ verdict, found }) => `${verdict}: ${found}`);
  };

  test('are encrypted once a key is set, also the old one of a rotation, and stay readable', async () => {
    expect(await found([])).toEqual([]);
    const { id } = await create([]);
    await create([]);
    await storage.webhooks.update(id, (webhook) => ({
      ...webhook,
      oldSecret: `${SECRET}old`,
      oldSecretUntil: 9_000_000_000_000,
    }));
    expect(await found([])).toEqual([
      'advice: The secrets of 2 webhooks are not encrypted: whoever has a backup can forge events.',
    ]);
    expect(await found([NEW])).toEqual([
      'advice: The secrets of 2 webhooks are not encrypted with the first key of PETSTORE_SECRET_KEY.',
    ]);
    expect(await encrypt([])).toEqual({ encrypted: 0, unreadable: [] });
    expect(await encrypt([NEW])).toEqual({ encrypted: 2, unreadable: [] });
    expect(JSON.stringify(await stored())).not.toContain('whsec_');
    expect(await found([NEW])).toEqual(['good: The secrets of 2 webhooks are encrypted.']);
    const webhook = await storage.webhooks.find(id);
    const cipher = createSecretCipher([NEW]);
    expect(cipher.decrypt(webhook?.secret ?? '', id)).toBe(SECRET);
    expect(cipher.decrypt(webhook?.oldSecret ?? '', id)).toBe(`${SECRET}old`);
    expect(webhook).toMatchObject({ ...HOOK, oldSecretUntil: 9_000_000_000_000 });
    const before = await stored();
    expect(await encrypt([NEW])).toEqual({ encrypted: 0, unreadable: [] });
    expect(await stored()).toEqual(before);
  });

  test('are encrypted with the new key when it replaces the old one', async () => {
    for (let count = 0; count < 120; count += 1) await create([OLD]);
    expect(await found([NEW, OLD])).toEqual([
      'advice: The secrets of 120 webhooks are not encrypted with the first key of PETSTORE_SECRET_KEY.',
    ]);
    expect(await encrypt([NEW, OLD])).toEqual({ encrypted: 120, unreadable: [] });
    expect(await found([NEW])).toEqual(['good: The secrets of 120 webhooks are encrypted.']);
  });

  test('that no key decrypts are reported and stay as they are', async () => {
    const lost = await create([LOST]);
    const plain = await create([]);
    const report =
      'bad: PETSTORE_SECRET_KEY does not contain the key for the secrets of 1 webhook, which get no events.';
    expect(await found([NEW])).toContain(report);
    expect(await found([])).toContain(report);
    expect(await encrypt([NEW])).toEqual({ encrypted: 1, unreadable: [lost.id] });
    expect((await storage.webhooks.find(lost.id))?.secret).toBe(lost.secret);
    expect((await storage.webhooks.find(plain.id))?.secret).not.toBe(plain.secret);
    expect(await found([NEW])).toEqual([report]);
  });
});
