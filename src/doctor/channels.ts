import {
  CHANNEL_DISABLED_REASONS,
  type ChannelDisabledReason,
  type ChannelKind,
} from '../domain/channel.ts';
import { ENCRYPTED_MARK, KEY_MARK_LENGTH, keyMark, secretKeyFromText } from '../domain/secrets.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad } = findingsOf('database');

/** A channel of an inspected database. Engines return numbers or bigints. */
export interface ChannelFacts {
  readonly id: bigint | number;
  readonly kind: ChannelKind;
  readonly address: string;
  readonly disabledReason: ChannelDisabledReason | null;
  readonly failures: bigint | number;
  readonly problem: string | null;
  /** The start of its secret, of `KEY_MARK_LENGTH` characters. */
  readonly mark: string | null;
}

/** The statement for `ChannelFacts`, on both engines. */
export const CHANNEL_FACTS = `SELECT id, kind, address, disabled_reason AS "disabledReason", failures, problem,
  substr(secret, 1, ${KEY_MARK_LENGTH}) AS mark FROM channels ORDER BY id`;

const BECAUSE: Readonly<Record<ChannelDisabledReason, string>> = {
  requested: 'on request',
  sign_in: 'the place refuses the sign-in',
  host_key: 'the server has another key',
  copied: 'the database was restored or copied',
};

/** The findings for channels; `keys` is `PETSTORE_SECRET_KEY`. */
export function channelFindings(
  rows: readonly ChannelFacts[],
  keys: readonly string[],
): readonly Finding[] {
  if (rows.length === 0) return [];
  const marks = keys.map((key) => keyMark(secretKeyFromText(key) ?? new Uint8Array(32)));
  const found = rows.flatMap((row): Finding[] => {
    const name = `Channel ${row.id} (${row.kind})`;
    if (row.mark?.startsWith(ENCRYPTED_MARK) && !marks.includes(row.mark)) {
      const todo = 'Add the key after a comma, or store the password again.';
      return [bad(`PETSTORE_SECRET_KEY lacks the key for the password of ${name}.`, todo)];
    }
    if (row.disabledReason !== null && row.disabledReason !== 'requested') {
      const known = CHANNEL_DISABLED_REASONS.includes(row.disabledReason);
      const reason = known ? BECAUSE[row.disabledReason] : 'for a reason of a later release';
      const todo = 'Look at it on the page Channels of the console, and enable it again.';
      return [advice(`${name} gets no files: ${reason}.`, todo)];
    }
    if (row.disabledReason === null && Number(row.failures) > 0) {
      const todo = 'Test it on the page Channels of the console, or send the file on purpose.';
      return [advice(`${name} did not get its last file: ${row.problem}`, todo)];
    }
    if (/^ftp:/i.test(row.address)) {
      const todo = 'Use ftps or sftp if the place has them.';
      return [advice(`${name} sends its password in the clear (ftp).`, todo)];
    }
    return [];
  });
  if (found.length > 0) return found;
  return [
    good(
      rows.length === 1 ? '1 channel gets its files.' : `${rows.length} channels get their files.`,
    ),
  ];
}
