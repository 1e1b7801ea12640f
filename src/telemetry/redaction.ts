import { redactKeys } from '../domain/api-key.ts';

/** Takes out of a line of the log what must not stand in it. */
export type Redact = (line: string) => string;

/** What must not stand in the log, besides API keys. */
export interface RedactionRules {
  /** Names of members whose values belong to nobody but those who sent them. */
  readonly fields: readonly string[];
  /** Passwords. */
  readonly texts: readonly string[];
}

/** Shorter ones stand in words that are no secret, and would tear a line apart. */
const TEXT_LENGTH_MIN = 4;
const SHOWN = '…';

/**
 * Makes what every line that pino writes goes through as the last thing, whatever was logged and
 * however deep it lies in there.
 */
export function createRedaction({ fields, texts }: RedactionRules): Redact {
  const escaped = texts
    .filter((text) => text.length >= TEXT_LENGTH_MIN)
    .map((text) => JSON.stringify(text).slice(1, -1));
  const members = membersNamed(fields);

  return (line) => {
    let shown = redactKeys(line);
    for (const text of escaped) shown = shown.replaceAll(text, SHOWN);
    for (const member of members) shown = shown.replace(member, `$1${SHOWN}`);
    return shown;
  };
}

/** Members with a text, in the JSON of a line and in JSON that stands in a text of it. */
function membersNamed(fields: readonly string[]): readonly RegExp[] {
  if (fields.length === 0) return [];
  const names = fields.join('|');
  return [
    new RegExp(String.raw`("(?:${names})":\s*")(?:[^"\\]|\\.)*`, 'g'),
    new RegExp(String.raw`(\\"(?:${names})\\":\s*\\")(?:[^"\\]|\\\\(?:\\.|[^\\]))*`, 'g'),
  ];
}
