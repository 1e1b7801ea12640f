import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import {
  ENCRYPTED_MARK,
  KEY_MARK_LENGTH,
  keyMark,
  secretKeyFromText,
} from '../../domain/secret-key.ts';

/** Encrypts the secrets of webhooks for the database, if the operator has set a key. */
export interface SecretCipher {
  /** Returns the text to store. Without a key it is the secret itself. */
  encrypt(secret: string, webhookId: bigint): string;
  /** Returns the secret in a stored text, encrypted or not. Throws `UnreadableSecret`. */
  decrypt(stored: string, webhookId: bigint): string;
  /** Returns whether `decrypt` succeeds. */
  isReadable(stored: string, webhookId: bigint): boolean;
  /** True if `encrypt` would protect it better: it is plain while a key is set, or has an older key. */
  isOutdated(stored: string): boolean;
}

/** A stored secret that none of the keys decrypts. The message says what to do, without a secret. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key, and what it encrypts starts with. */
interface MarkedKey {
  readonly mark: string;
  readonly bytes: Uint8Array;
}

/**
 * Creates a cipher from the keys in `PETSTORE_SECRET_KEY`. The first encrypts, all of them decrypt. A
 * stored text is `aes256gcm:KEY ID:base64`, of a random nonce, the ciphertext and its tag. The id of
 * the webhook is authenticated too, so a text does not decrypt in the row of another webhook.
 */
export function createSecretCipher(keys: readonly string[]): SecretCipher {
  const marked = keys.map(markedKey);
  const newest = marked[0];

  function encrypt(secret: string, webhookId: bigint): string {
    if (newest === undefined) return secret;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, newest.bytes, nonce).setAAD(associated(webhookId));
    const text = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final()]);
    return newest.mark + Buffer.concat([text, cipher.getAuthTag()]).toString('base64');
  }

  function decrypt(stored: string, webhookId: bigint): string {
    if (!stored.startsWith(ENCRYPTED_MARK)) return stored;
    const key = marked.find(({ mark }) => stored.startsWith(mark));
    if (key === undefined) {
      throw new UnreadableSecret(
        `The secret of webhook ${webhookId} is encrypted with a key that PETSTORE_SECRET_KEY does not contain.`,
      );
    }
    try {
      const packed = Buffer.from(stored.slice(KEY_MARK_LENGTH), 'base64');
      return decrypted(packed, key.bytes, webhookId);
    } catch {
      throw new UnreadableSecret(
        `The stored secret of webhook ${webhookId} is damaged. Rotate the secret.`,
      );
    }
  }

  function isOutdated(stored: string): boolean {
    return newest !== undefined && !stored.startsWith(newest.mark);
  }

  function isReadable(stored: string, webhookId: bigint): boolean {
    try {
      decrypt(stored, webhookId);
      return true;
    } catch (error) {
      if (error instanceof UnreadableSecret) return false;
      throw error;
    }
  }

  return { encrypt, decrypt, isReadable, isOutdated };
}

/** Throws if the text was encrypted with another key, for another webhook, or has changed. */
function decrypted(packed: Buffer, key: Uint8Array, webhookId: bigint): string {
  const tag = packed.subarray(-TAG_BYTES);
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv(CIPHER, key, packed.subarray(0, NONCE_BYTES), options);
  decipher.setAAD(associated(webhookId)).setAuthTag(tag);
  const text = decipher.update(packed.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}

function associated(webhookId: bigint): Uint8Array {
  return Buffer.from(`webhook ${webhookId}`);
}

function markedKey(text: string): MarkedKey {
  const bytes = secretKeyFromText(text);
  if (bytes === undefined) throw new RangeError('a secret key must be 32 bytes in base64 or hex');
  return { mark: keyMark(bytes), bytes };
}
