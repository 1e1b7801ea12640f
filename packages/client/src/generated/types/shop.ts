// Made from openapi.json by `npm run openapi`.
import type { QuestionKind, Species } from './shared-words.ts';

/** The members to change; `null` clears one. */
export interface ShopChange {
  /** The name of the shop. `null` if it is not set. */
  name?: string | null | undefined;
  /** Its postal address, in several lines. `null` if it is not set. */
  address?: string | null | undefined;
  /** Its telephone number. `null` if it is not set. */
  telephone?: string | null | undefined;
  /** Its e-mail address. `null` if it is not set. */
  email?: string | null | undefined;
  /** When it is open. Plain text. `null` if it is not set. */
  hours?: string | null | undefined;
  /**
   * The colour of buttons and links, such as `#2f6f4f`. It is shown darker or lighter where text
   * on it could not be read. `null` if it is not set.
   */
  accentColour?: string | null | undefined;
  /** What to do to adopt an animal. Plain text. `null` if it is not set. */
  howToAdopt?: string | null | undefined;
  /**
   * The town that titles of pages name. Otherwise it is taken from the last line of the address.
   * `null` if it is not set.
   */
  town?: string | null | undefined;
  /**
   * The language in which staff write about animals (BCP 47), such as `de`: pages in another one
   * say so to screen readers. `null` if it is not set.
   */
  language?: string | null | undefined;
  /** The address of the imprint, with `https`. `null` if it is not set. */
  imprintUrl?: string | null | undefined;
  /** The address of what the shop says about privacy, with `https`. `null` if it is not set. */
  privacyUrl?: string | null | undefined;
  /** Where to donate, with `https`. `null` if it is not set. */
  donateUrl?: string | null | undefined;
  /** Links to other pages of the shop, at most 6. `null` if it is not set. */
  links?:
    | readonly {
        /** What the link says. */
        label: string;
        /** Where it leads, with `https`. */
        url: string;
      }[]
    | null
    | undefined;
  /** `null` removes the logo; `setShopLogo` sets it. */
  logo?: null | undefined;
  /** What the form of an animal asks besides a message, in this order. `null` clears them. */
  questions?: readonly NewQuestion[] | null | undefined;
}

/** A question that the form of an animal asks. */
export interface NewQuestion {
  /** Names the question and its answers: small letters, digits, `-` and `_`. */
  id: string;
  /** What is asked. */
  label: string;
  kind: QuestionKind;
  /** Whether it must be answered. `false` by default. */
  required?: boolean | undefined;
  /** The answers to choose from, for a `choice` alone. */
  options?: readonly string[] | undefined;
  /** The species of the animals that it is asked of. Without it: of all. */
  species?: readonly Species[] | undefined;
}
