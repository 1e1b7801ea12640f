/** The language of the console: its words are English in the code, and those of other languages in a file each. */
import { hashOf } from '../messages/hash.ts';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

interface Browser {
  readonly localStorage?: {
    getItem(place: string): string | null;
    setItem(place: string, text: string): void;
    removeItem(place: string): void;
  };
  readonly navigator?: { readonly languages?: readonly string[] };
  readonly document?: { readonly documentElement: { lang: string } };
  readonly location?: { reload(): void };
}
const browser = globalThis as unknown as Browser;

const PLACE = 'petstore-language';
const isLanguage = (text: string | null): text is Language => text !== null && text in LANGUAGES;

/** Returns the language that was chosen in this browser; undefined if it follows the browser. */
export function chosenLanguage(): Language | undefined {
  const chosen = browser.localStorage?.getItem(PLACE) ?? null;
  return isLanguage(chosen) ? chosen : undefined;
}

const languageNow = (): Language =>
  chosenLanguage() ??
  (browser.navigator?.languages ?? []).map((tag) => tag.slice(0, 2)).find(isLanguage) ??
  'en';

/** The language of the words on the screen. */
export const language = languageNow();

// Those who read English load no other words. The build names each by its hash.
const WORDS: Readonly<Record<string, string>> =
  language === 'de' ? (await import('../messages/de.json')).default : {};

if (browser.document !== undefined) browser.document.documentElement.lang = language;

/**
 * Chooses a language for this browser, or none to follow it. Loads the console again if its words are others; not if the
 * browser keeps nothing, since it would never end.
 */
export function chooseLanguage(wanted: string | null): void {
  if (isLanguage(wanted)) browser.localStorage?.setItem(PLACE, wanted);
  else browser.localStorage?.removeItem(PLACE);
  if (languageNow() !== language) browser.location?.reload();
}

/** Returns a text in the language of the console. `{0}` stands for the first value. */
export function translate(text: string, ...values: readonly unknown[]): string {
  return (WORDS[hashOf(text)] ?? text).replaceAll(/\{(\d)\}/g, (_, place) =>
    String(values[Number(place)]),
  );
}

/** A text in the language of the console: t`${name} was added.` is found as `{0} was added.` */
export function t(parts: TemplateStringsArray, ...values: readonly unknown[]): string {
  // Not `parts.raw`: a bundler may escape letters.
  return translate(
    parts.reduce((text, part, place) => `${text}{${place - 1}}${part}`),
    ...values,
  );
}
