import type { ChangeStamp, Precondition } from './change-stamp.ts';
import type { NewPhoto } from './photo.ts';
import type { ProfileField, Values } from './profile.ts';
import type { Question } from './question.ts';

/** What browsers take for an e-mail address, with a dot in its domain. Safe in the header of a mail. */
export const EMAIL = {
  kind: 'code',
  pattern: /^[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/,
  min: 5,
  max: 254,
  rule: 'an e-mail address',
} as const satisfies ProfileField;

export const TELEPHONE_MAX = 50;

/** What the public is told about the shop, in the order in which it is shown. */
export const SHOP_FIELDS = {
  name: { kind: 'line', max: 100 },
  address: { kind: 'lines', max: 300 },
  telephone: { kind: 'line', max: TELEPHONE_MAX },
  email: EMAIL,
  hours: { kind: 'lines', max: 500 },
  accentColour: {
    kind: 'code',
    pattern: /^#[0-9A-Fa-f]{6}$/,
    min: 7,
    max: 7,
    rule: 'a colour like #2f6f4f',
  },
  howToAdopt: { kind: 'lines', max: 4_000 },
  town: { kind: 'line', max: 100 },
  language: {
    kind: 'code',
    pattern: /^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?$/,
    min: 2,
    max: 12,
    rule: 'a language tag like en, de or pt-BR',
  },
  imprintUrl: { kind: 'address', max: 500 },
  privacyUrl: { kind: 'address', max: 500 },
  donateUrl: { kind: 'address', max: 500 },
} as const satisfies Readonly<Record<string, ProfileField>>;

/** The most links of its own that the shop shows. */
export const SHOP_LINKS_MAX = 6;
export const LINK_LABEL_MAX = 50;

/** A link to another page of the shop. */
export type ShopLink = {
  readonly label: string;
  readonly url: string;
};

/** The logo of the shop, which is kept as a photo is. */
export type ShopLogo = Pick<NewPhoto, 'sha256' | 'width' | 'height'>;

/** The shop as the public sees it. Null is not set. */
export type Shop = Values<typeof SHOP_FIELDS> & {
  readonly links: readonly ShopLink[] | null;
  readonly logo: ShopLogo | null;
  /** What the form of an animal asks, in this order. */
  readonly questions: readonly Question[];
};

/** The shop as programs see it, with a permanent UUID that survives a move or restore of its data. */
export type IdentifiedShop = Shop & { readonly id: string };

/** A change of the shop: undefined leaves a value as it is, null clears it. */
export type ShopChange = { readonly [Name in keyof Shop]?: Shop[Name] | undefined };

/** A shop of which nothing is set. */
export const EMPTY_SHOP: Shop = {
  ...(Object.fromEntries(Object.keys(SHOP_FIELDS).map((name) => [name, null])) as {
    readonly [Name in keyof typeof SHOP_FIELDS]: null;
  }),
  links: null,
  logo: null,
  questions: [],
};

/** Returns the shop with a change applied, or the same object if nothing changes. */
export function changedShop(shop: Shop, change: ShopChange): Shop {
  const changed = Object.entries(change).filter(
    ([name, value]) =>
      value !== undefined && JSON.stringify(value) !== JSON.stringify(shop[name as keyof Shop]),
  );
  return changed.length === 0 ? shop : { ...shop, ...Object.fromEntries(changed) };
}

/** Returns the town of the shop: its own field, or else the last line of its address without its postal code. */
export function townOf({ town, address }: Pick<Shop, 'town' | 'address'>): string | undefined {
  if (town !== null) return town;
  const last =
    address
      ?.trim()
      .split(/[\r\n]+/)
      .at(-1) ?? '';
  // A postal code has a digit: 8000, EX2 8AA, D-10115, 75008.
  const words = last.split(/\s+/).filter((word) => !/\d/.test(word));
  return words.join(' ').replace(/^[\s,]+|[\s,]+$/g, '') || undefined;
}

/** The storage contract of what the public is told about the shop. */
export interface ShopStorage {
  get(): Promise<Shop>;
  /** Changes the shop. Throws what the precondition throws. */
  update(change: ShopChange, stamp: ChangeStamp, precondition: Precondition<Shop>): Promise<Shop>;
  /**
   * Returns the secret that signs the forms of this deployment, in hexadecimal. Stores `candidate` if there is none, and
   * writes only then.
   */
  formSecret(candidate: string): Promise<string>;
  /**
   * Returns the permanent start of the ids of feed entries: `tag:shelter.example,2026-11-26:`. Stores `candidate` if there
   * is none.
   */
  feedTag(candidate: string): Promise<string>;
}
