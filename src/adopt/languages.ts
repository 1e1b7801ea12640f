import { de } from './messages/de.ts';
import { en, type Messages } from './messages/en.ts';
import { es } from './messages/es.ts';

export type { Messages };

/** A further language is a file of messages and its line here. */
const LANGUAGES = { en, de, es };
export type Language = keyof typeof LANGUAGES;
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[]; // The keys of the literal.

const isLanguage = (name: string): name is Language => Object.hasOwn(LANGUAGES, name);

export function messagesIn(language: Language): Messages {
  return LANGUAGES[language];
}

/** Returns the language that an address names; undefined if it names none that we have. */
export function namedLanguage(name: string | undefined): Language | undefined {
  return name !== undefined && isLanguage(name) ? name : undefined;
}

const RANGE =
  /^\s*([a-z]{1,8}|\*)(?:-[a-z0-9-]*)?\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/**
 * Returns the language that a reader likes best (RFC 9110, section 12.5.4): English where none of
 * ours is accepted, or where several are liked as much and none comes first.
 */
export function acceptedLanguage(header: string | null): Language {
  let best: Language = 'en';
  let most = 0;
  for (const range of header?.split(',') ?? []) {
    const [, tag, weight = '1'] = RANGE.exec(range) ?? [];
    const name = tag === '*' ? 'en' : tag?.toLowerCase();
    if (name === undefined || !isLanguage(name) || Number(weight) <= most) continue;
    best = name;
    most = Number(weight);
  }
  return best;
}

/** How dates and numbers are written in a language. */
export const localeOf = (language: Language) => (language === 'en' ? 'en-GB' : language);

/** Returns a date in words: `3 June 2026`. */
export function dateIn(language: Language, date: string): string {
  const format = { dateStyle: 'long', timeZone: 'UTC' } as const;
  return new Date(date).toLocaleDateString(localeOf(language), format);
}
