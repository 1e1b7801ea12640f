import { redactKeys } from '../domain/api-key.ts';

/** Removes from a line what must not be logged. */
export type Redact = (line: string) => string;

/** Values that must not be logged. API keys and secrets of webhooks never are. */
interface RedactionRules {
  /** Names of members with PII. */
  readonly fields: readonly string[];
  /** Passwords. */
  readonly texts: readonly string[];
}

/** Shorter texts occur inside ordinary words. */
const TEXT_LENGTH_MIN = 4;
const SHOWN = '…';

/** The secret of a webhook. */
const WEBHOOK_SECRET = /\bwhsec_[\w+/-]+=*/g;

/**
 * Creates a function that every line but those of requests passes last, so that it catches a secret at any
 * depth of what was logged.
 */
export function createRedaction({ fields, texts }: RedactionRules): Redact {
  const escaped = texts
    .filter((text) => text.length >= TEXT_LENGTH_MIN)
    .map((text) => JSON.stringify(text).slice(1, -1));
  const members = membersNamed(fields);

  return (line) => {
    let shown = redactKeys(line).replace(WEBHOOK_SECRET, `whsec_${SHOWN}`);
    for (const text of escaped) shown = shown.replaceAll(text, SHOWN);
    for (const member of members) shown = shown.replace(member, `$1${SHOWN}`);
    return shown;
  };
}

/** Matches members with a text, in the JSON of a line and in JSON inside one of its texts. */
function membersNamed(fields: readonly string[]): readonly RegExp[] {
  if (fields.length === 0) return [];
  const names = fields.join('|');
  return [
    new RegExp(String.raw`("(?:${names})":\s*")(?:[^"\\]|\\.)*`, 'g'),
    new RegExp(String.raw`(\\"(?:${names})\\":\s*\\")(?:[^"\\]|\\\\(?:\\.|[^\\]))*`, 'g'),
  ];
}
