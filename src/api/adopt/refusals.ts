import { acceptedLanguage, namedLanguage } from '../../adopt/languages.ts';
import { type RefusalFacts, renderPlainRefusal, renderRefusal } from '../../adopt/notices.ts';
import type { Shop } from '../../domain/shop.ts';
import type { TextResponse } from '../../http/response.ts';
import { isDecodable, readQuery } from '../../http/target.ts';
import { pageResponse } from './served.ts';

/** What a page of a refusal is made for. */
export interface RefusalAsk extends RefusalFacts {
  readonly shop: Shop;
  readonly query: string;
  readonly accepted: string | null;
  /** The address of the public pages; null if they are turned off. */
  readonly root: string | null;
  readonly at: number;
}

/** Returns the page that a person gets in place of an error in JSON, in their language. */
export function refusalPage(ask: RefusalAsk): TextResponse {
  const { shop, query, accepted, root, at, status } = ask;
  const [lang] = isDecodable(query) ? (readQuery(query).get('lang') ?? []) : [];
  const named = namedLanguage(lang);
  const language = named ?? acceptedLanguage(accepted);
  const words = { shop, language, namesLanguage: named !== undefined };
  const page = { ...words, root: root ?? '', at, takesAlerts: false };
  const text = root === null ? renderPlainRefusal(page, ask) : renderRefusal(page, ask);
  return pageResponse(text, status);
}
