import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Alert } from './alert.ts';
import { secureRandomBytes } from './secrets.ts';
import type { ShopStorage } from './shop.ts';
import { newFormSecret } from './shop-id.ts';

const NAME_BYTES = 16;
const TOKEN = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/** What a link in a mail does to an alert. */
type AlertLink = 'confirm' | 'end';

/** Signs and hashes the contents of forms and mails. */
export type FormSigning = ReturnType<typeof createFormSigning>;

/** Creates the signing with the secret of the deployment, which every process has. */
export function createFormSigning(shop: Pick<ShopStorage, 'formSecret'>) {
  let secret: string | undefined;

  async function sign(text: string): Promise<string> {
    secret ??= await shop.formSecret(newFormSecret());
    return createHmac('sha256', secret).update(text).digest('base64url');
  }

  const signatureOf = (name: string, link: AlertLink) => sign(`alert ${link} ${name}`);

  return {
    sign,
    /** Returns a hash of an e-mail address, the same for all spellings that reach one mailbox. */
    receiverOf: (email: string) => sign(`receiver ${canonical(email)}`),
    /** Returns the token of a link in a mail. */
    tokenOf: async ({ name }: Pick<Alert, 'name'>, link: AlertLink) =>
      `${name}.${await signatureOf(name, link)}`,
    /** Returns the name of the alert in a token; undefined for a forged token. */
    async nameIn(token: string, link: AlertLink): Promise<string | undefined> {
      const [, name, signature = ''] = TOKEN.exec(token) ?? [];
      if (name === undefined) return undefined;
      return isSame(signature, await signatureOf(name, link)) ? name : undefined;
    },
  };
}

/** Compares two texts in a time that does not reveal how much of them is equal. */
export function isSame(one: string, other: string): boolean {
  const [given, made] = [Buffer.from(one), Buffer.from(other)];
  return given.length === made.length && timingSafeEqual(given, made);
}

/** Returns a name that nobody can guess. */
export function newAlertName(): string {
  return Buffer.from(secureRandomBytes(NAME_BYTES)).toString('base64url');
}

/**
 * Many providers deliver `me+anything@`, and some `m.e@`, to `me@`: limits treat these as one address. Treating two people
 * as one does no harm.
 */
function canonical(email: string): string {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at).replace(/\+.*$/, '').replaceAll('.', '');
  return `${local}${email.slice(at)}`.toLowerCase();
}
