import { advice, type Finding, failed, passed } from '../domain/finding.ts';
import { ENCRYPTED_MARK, keyMark, secretKeyFromText } from '../domain/secret-key.ts';
import { webhooks } from './webhook-findings.ts';

/** The starts of the secrets of a webhook, of `KEY_MARK_LENGTH` characters. */
export interface SecretMarks {
  readonly secret: string;
  readonly oldSecret: string | null;
}

/** The findings for the stored secrets of webhooks; `keys` is `PETSTORE_SECRET_KEY`. */
export function secretFindings(rows: readonly SecretMarks[], keys: readonly string[]): Finding[] {
  const marks = keys.flatMap((key) => {
    const bytes = secretKeyFromText(key);
    return bytes === undefined ? [] : [keyMark(bytes)];
  });
  const isUnreadable = (text: string) => text.startsWith(ENCRYPTED_MARK) && !marks.includes(text);
  const having = (test: (text: string) => boolean) =>
    rows.filter(({ secret, oldSecret }) => test(secret) || (oldSecret !== null && test(oldSecret)));
  const unreadable = having(isUnreadable).length;
  const plain = having((text) => !text.startsWith(ENCRYPTED_MARK)).length;
  const older = having((text) => text !== marks[0] && !isUnreadable(text)).length;
  const found = [
    ...(unreadable > 0 ? [unreadableFinding(unreadable)] : []),
    ...(marks.length === 0 && plain > 0 ? [plainFinding(plain)] : []),
    ...(marks.length > 0 && older > 0 ? [olderFinding(older)] : []),
  ];
  if (found.length > 0 || rows.length === 0) return found;
  return [passed('database', `The secrets of ${webhooks(rows.length)} are encrypted.`)];
}

function unreadableFinding(count: number): Finding {
  return failed(
    'database',
    `PETSTORE_SECRET_KEY does not contain the key for the secrets of ${webhooks(count)}, which get no events.`,
    'Add the key after a comma, or rotate these secrets.',
  );
}

function plainFinding(count: number): Finding {
  return advice(
    'database',
    `The secrets of ${webhooks(count)} are not encrypted: whoever has a backup can forge events.`,
    'Set PETSTORE_SECRET_KEY to the output of `openssl rand -base64 32`, and restart.',
  );
}

function olderFinding(count: number): Finding {
  return advice(
    'database',
    `The secrets of ${webhooks(count)} are not encrypted with the first key of PETSTORE_SECRET_KEY.`,
    'Restart the service: it encrypts them.',
  );
}
