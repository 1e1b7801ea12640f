import { expect, test } from 'bun:test';
import { createSecretCipher } from '../../src/changes/webhooks/secret-cipher.ts';
import { startPetstore } from '../support/start.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const [FIRST, SECOND] = ['ab'.repeat(32), Buffer.alloc(32, 7).toString('base64')] as const;

test('the start encrypts stored secrets with the newest key, and reports those it cannot read', async () => {
  await using petstore = await startPetstore();
  const { id } = await petstore.storage.webhooks.create(
    { url: 'https://shop.example/', types: null, description: null, createdAt: 1 },
    () => SECRET,
  );
  const stored = async () => (await petstore.storage.webhooks.find(id))?.secret ?? '';
  await petstore.restart();
  expect(await stored()).toBe(SECRET);

  await petstore.restart({ PETSTORE_SECRET_KEY: FIRST });
  expect(createSecretCipher([FIRST]).decrypt(await stored(), id)).toBe(SECRET);
  expect(petstore.log.join()).toContain('secrets of webhooks were encrypted');

  await petstore.restart({ PETSTORE_SECRET_KEY: `${SECOND},${FIRST}` });
  expect(createSecretCipher([SECOND]).decrypt(await stored(), id)).toBe(SECRET);

  const before = await stored();
  await petstore.restart({ PETSTORE_SECRET_KEY: FIRST });
  expect(await stored()).toBe(before);
  expect(petstore.log.join()).toContain('PETSTORE_SECRET_KEY does not decrypt their secrets');
  for (const secret of [SECRET, FIRST, SECOND]) expect(petstore.log.join()).not.toContain(secret);
});
