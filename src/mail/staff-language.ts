import {
  foldEmail,
  type PersonStorage,
  STAFF_LANGUAGES,
  type StaffLanguage,
} from '../domain/person.ts';
import type { ShopStorage } from '../domain/shop.ts';
import type { MailSettings } from './send.ts';

/** What tells the language of somebody who works here. */
export interface StaffLanguageSources {
  readonly people: Pick<PersonStorage, 'languages'>;
  readonly shop: Pick<ShopStorage, 'get'>;
}

/** The addresses that get a mail in one language. */
export interface Readers {
  readonly language: StaffLanguage;
  readonly to: readonly string[];
}

/**
 * Says in which language each address of staff reads mails: the one that the person with this address has chosen,
 * else that of the shop, if mails to staff are written in it, else English.
 */
export async function readersOf(
  { notify, contentLanguage }: Pick<MailSettings, 'notify' | 'contentLanguage'>,
  { people, shop }: StaffLanguageSources,
): Promise<readonly Readers[]> {
  const [chosen, { language }] = await Promise.all([people.languages(notify), shop.get()]);
  const tag = language ?? contentLanguage;
  const ofShop = STAFF_LANGUAGES.find((known) => known === tag?.split('-')[0]) ?? 'en';
  const groups = Map.groupBy(notify, (address) => chosen.get(foldEmail(address)) ?? ofShop);
  return [...groups].map(([each, to]) => ({ language: each, to }));
}
