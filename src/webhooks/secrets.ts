import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Page, PageRequest } from '../domain/page.ts';
import { ENCRYPTED_MARK, KEY_MARK_LENGTH, keyMark, secretKeyFromText } from '../domain/secrets.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** Records that are read at once. */
const PAGE = 100;

/** Creates a secret: `whsec_` and base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Returns the bytes of a secret. */
export function signingKey(secret: string): Uint8Array {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}

/** Encrypts the secrets of webhooks, or of other records, for the database, if the operator has set a key. */
export type SecretCipher = ReturnType<typeof createSecretCipher>;

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
 * the record is authenticated too, so a text does not decrypt in the row of another one.
 */
export function createSecretCipher(keys: readonly string[], record = 'webhook') {
  const marked = keys.map(markedKey);
  const newest = marked[0];

  /** Returns the text to store. Without a key it is the secret itself. */
  function encrypt(secret: string, webhookId: bigint): string {
    if (newest === undefined) return secret;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, newest.bytes, nonce).setAAD(
      associated(record, webhookId),
    );
    const text = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final()]);
    return newest.mark + Buffer.concat([text, cipher.getAuthTag()]).toString('base64');
  }

  /** Returns the secret in a stored text, encrypted or not. Throws `UnreadableSecret`. */
  function decrypt(stored: string, webhookId: bigint): string {
    if (!stored.startsWith(ENCRYPTED_MARK)) return stored;
    const key = marked.find(({ mark }) => stored.startsWith(mark));
    if (key === undefined) {
      throw new UnreadableSecret(
        `The secret of ${record} ${webhookId} is encrypted with a key that PETSTORE_SECRET_KEY does not contain.`,
      );
    }
    try {
      const packed = Buffer.from(stored.slice(KEY_MARK_LENGTH), 'base64');
      return decrypted(packed, key.bytes, associated(record, webhookId));
    } catch {
      throw new UnreadableSecret(
        `The stored secret of ${record} ${webhookId} is damaged. Replace it.`,
      );
    }
  }

  /** True if `encrypt` would protect it better: it is plain while a key is set, or has an older key. */
  function isOutdated(stored: string): boolean {
    return newest !== undefined && !stored.startsWith(newest.mark);
  }

  /** Returns whether `decrypt` succeeds. */
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
function decrypted(packed: Buffer, key: Uint8Array, owner: Uint8Array): string {
  const tag = packed.subarray(-TAG_BYTES);
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv(CIPHER, key, packed.subarray(0, NONCE_BYTES), options);
  decipher.setAAD(owner).setAuthTag(tag);
  const text = decipher.update(packed.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}

function associated(record: string, id: bigint): Uint8Array {
  return Buffer.from(`${record} ${id}`);
}

function markedKey(text: string): MarkedKey {
  const bytes = secretKeyFromText(text);
  if (bytes === undefined) throw new RangeError('a secret key must be 32 bytes in base64 or hex');
  return { mark: keyMark(bytes), bytes };
}

/** Records with secrets: webhooks and channels. */
export interface Secretive {
  readonly id: bigint;
  readonly secret: string | null;
  readonly oldSecret?: string | null;
}

/** How such records are read and changed. */
export interface SecretiveStorage<Row extends Secretive> {
  page(request: PageRequest): Promise<Page<Row>>;
  update(id: bigint, change: (current: Row) => NoInfer<Row>): Promise<NoInfer<Row> | undefined>;
}

/** The outcome of encrypting the stored secrets. */
interface EncryptedStored {
  /** Records whose secrets were encrypted with the newest key. */
  readonly encrypted: number;
  /** Records whose secrets no key decrypts. */
  readonly unreadable: readonly bigint[];
}

/**
 * Encrypts all secrets with the newest key that are stored plain or with an older key. Several
 * instances may do this at the same time.
 */
export async function encryptStoredSecrets<Row extends Secretive>(
  storage: SecretiveStorage<Row>,
  cipher: SecretCipher,
): Promise<EncryptedStored> {
  let encrypted = 0;
  const unreadable: bigint[] = [];
  for await (const { id, secret, oldSecret = null } of allOf(storage)) {
    const stored = [secret, oldSecret].filter((each) => each !== null);
    try {
      for (const each of stored.slice(0, 1)) cipher.decrypt(each, id);
      if (!stored.some(cipher.isOutdated)) continue;
      if (await storage.update(id, (current) => withEncrypted(current, cipher))) encrypted += 1;
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      unreadable.push(id);
    }
  }
  return { encrypted, unreadable };
}

async function* allOf<Row extends Secretive>({ page }: SecretiveStorage<Row>): AsyncGenerator<Row> {
  let afterId = 0n;
  for (;;) {
    const { items } = await page({ afterId, limit: PAGE });
    yield* items;
    const last = items.at(-1);
    if (last === undefined) return;
    afterId = last.id;
  }
}

/** Throws `UnreadableSecret`. */
function withEncrypted<Row extends Secretive>(row: Row, cipher: SecretCipher): Row {
  const renewed = (stored: string | null) =>
    stored !== null && cipher.isOutdated(stored)
      ? cipher.encrypt(cipher.decrypt(stored, row.id), row.id)
      : stored;
  const { secret, oldSecret } = row;
  const old = oldSecret === undefined ? {} : { oldSecret: renewed(oldSecret) };
  return { ...row, secret: renewed(secret), ...old };
}
