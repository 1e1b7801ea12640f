import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  createSecretCipher,
  newWebhookSecret,
  UnreadableSecret,
} from '../../src/webhooks/secrets.ts';

const newKey = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64');
const [KEY, OTHER_KEY] = [newKey(), newKey()];
const SECRET = newWebhookSecret();

test('without a key a secret is stored as it is', () => {
  const plain = createSecretCipher([]);
  expect(plain.encrypt(SECRET, 1n)).toBe(SECRET);
  expect(plain.decrypt(SECRET, 1n)).toBe(SECRET);
  expect(plain.isOutdated(SECRET)).toBe(false);
});

test('with a key it is encrypted, differently each time, and can be read again', () => {
  const cipher = createSecretCipher([KEY]);
  const stored = Array.from({ length: 100 }, () => cipher.encrypt(SECRET, 7n));
  expect(new Set(stored).size).toBe(100);
  for (const text of stored) {
    expect(text).toMatch(/^aes256gcm:[0-9a-f]{8}:[A-Za-z0-9+/]+=*$/);
    expect(text).not.toContain(SECRET.slice(6, 16));
    expect(cipher.decrypt(text, 7n)).toBe(SECRET);
    expect(cipher.isOutdated(text)).toBe(false);
  }
});

test('what was stored before the key was set stays readable, and is outdated', () => {
  const cipher = createSecretCipher([KEY]);
  expect(cipher.decrypt(SECRET, 1n)).toBe(SECRET);
  expect(cipher.isOutdated(SECRET)).toBe(true);
});

test('the newest key encrypts, and the older ones still decrypt', () => {
  const old = createSecretCipher([OTHER_KEY]).encrypt(SECRET, 1n);
  const both = createSecretCipher([KEY, OTHER_KEY]);
  expect(both.decrypt(old, 1n)).toBe(SECRET);
  expect(both.isOutdated(old)).toBe(true);
  const renewed = both.encrypt(SECRET, 1n);
  expect(both.isOutdated(renewed)).toBe(false);
  expect(createSecretCipher([KEY]).decrypt(renewed, 1n)).toBe(SECRET);
});

test('a key is the same in base64, base64url and hex', () => {
  const bytes = Buffer.from(KEY, 'base64');
  const stored = createSecretCipher([KEY]).encrypt(SECRET, 1n);
  for (const text of [bytes.toString('base64url'), bytes.toString('hex')]) {
    expect(createSecretCipher([text]).decrypt(stored, 1n)).toBe(SECRET);
  }
});

test('without the key, in another row or changed, it is unreadable, and no error shows it', () => {
  const stored = createSecretCipher([KEY]).encrypt(SECRET, 1n);
  const unreadable = (keys: readonly string[], text: string, id: bigint, reason: RegExp) => {
    const read = () => createSecretCipher(keys).decrypt(text, id);
    expect(read).toThrow(UnreadableSecret);
    expect(read).toThrow(reason);
    expect(read).not.toThrow(new RegExp(text.slice(-12).replaceAll(/\W/g, '.')));
  };
  unreadable([OTHER_KEY], stored, 1n, /webhook 1 .* PETSTORE_SECRET_KEY does not contain/);
  unreadable([], stored, 1n, /PETSTORE_SECRET_KEY does not contain/);
  unreadable([KEY], stored, 2n, /webhook 2 is damaged/);
  const at = fc.integer({ min: 'aes256gcm:00000000:'.length, max: stored.length - 3 });
  fc.assert(
    fc.property(at, fc.constantFrom('A', 'B', '/', ''), (position, letter) => {
      const changed = stored.slice(0, position) + letter + stored.slice(position + 1);
      if (changed !== stored) unreadable([KEY], changed, 1n, /damaged/);
    }),
  );
});
