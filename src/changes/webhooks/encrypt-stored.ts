import type { Webhook, WebhookStorage } from '../../domain/webhook.ts';
import { type SecretCipher, UnreadableSecret } from './secret-cipher.ts';

const PAGE = 100;

/** The outcome of encrypting the stored secrets. */
export interface EncryptedStored {
  /** Webhooks whose secrets were encrypted with the newest key. */
  readonly encrypted: number;
  /** Webhooks whose secrets no key decrypts. */
  readonly unreadable: readonly bigint[];
}

/**
 * Encrypts all secrets with the newest key that are stored plain or with an older key. Several
 * instances may do this at the same time.
 */
export async function encryptStoredSecrets(
  webhooks: Pick<WebhookStorage, 'page' | 'update'>,
  cipher: SecretCipher,
): Promise<EncryptedStored> {
  let encrypted = 0;
  const unreadable: bigint[] = [];
  for await (const webhook of allOf(webhooks)) {
    const { id } = webhook;
    try {
      cipher.decrypt(webhook.secret, id);
      if (!isOutdated(webhook, cipher)) continue;
      if (await webhooks.update(id, (current) => withEncrypted(current, cipher))) encrypted += 1;
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      unreadable.push(id);
    }
  }
  return { encrypted, unreadable };
}

async function* allOf({ page }: Pick<WebhookStorage, 'page'>): AsyncGenerator<Webhook> {
  let afterId = 0n;
  for (;;) {
    const { items } = await page({ afterId, limit: PAGE });
    yield* items;
    const last = items.at(-1);
    if (last === undefined) return;
    afterId = last.id;
  }
}

function isOutdated({ secret, oldSecret }: Webhook, cipher: SecretCipher): boolean {
  return cipher.isOutdated(secret) || (oldSecret !== null && cipher.isOutdated(oldSecret));
}

/** Throws `UnreadableSecret`. */
function withEncrypted(webhook: Webhook, cipher: SecretCipher): Webhook {
  const renewed = (stored: string) =>
    cipher.isOutdated(stored)
      ? cipher.encrypt(cipher.decrypt(stored, webhook.id), webhook.id)
      : stored;
  const { secret, oldSecret } = webhook;
  return {
    ...webhook,
    secret: renewed(secret),
    oldSecret: oldSecret === null ? null : renewed(oldSecret),
  };
}
