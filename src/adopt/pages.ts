import { int64FromText } from '../domain/int64.ts';
import { isListed } from '../domain/listing.ts';
import { entityTag, type HttpResponse, type TextResponse } from '../http/response.ts';
import { readQuery } from '../http/target.ts';
import { searchIn } from './alert-search.ts';
import { renderAlertForm, renderAlertLink, renderAlertNote } from './alerts.ts';
import { animalPage } from './animal-pages.ts';
import { adoptAssets, assetAt } from './assets.ts';
import script from './embed.js' with { type: 'text' };
import { renderEnquiryForm, renderThanks } from './enquiry.ts';
import {
  acceptedLanguage,
  LANGUAGE_NAMES,
  type Language,
  messagesIn,
  namedLanguage,
} from './languages.ts';
import { listPage, listQueryOf } from './list-pages.ts';
import { renderNotice, renderRefusal } from './notices.ts';
import { linkTo, type PageContext } from './page.ts';
import { framed, movedTo, type PageAsk, type PageSources, pageResponse, some } from './served.ts';

export type { PageAsk };

/** Everything that is served under `/adopt`. */
export type PublicPages = ReturnType<typeof createPublicPages>;

/** Creates the pages. They read the records and nothing else. */
export function createPublicPages(sources: PageSources) {
  const { storage, pagesRoot, frameAncestors } = sources;

  /** What all pages of a request have in common. */
  async function contextOf(ask: PageAsk): Promise<PageContext> {
    const { query, language, at } = ask;
    const [named] = readQuery(query).get('lang') ?? [];
    const namesLanguage = namedLanguage(named) === language;
    const { takesAlerts } = sources;
    const shop = await storage.shop.get();
    const known = { shop, language, namesLanguage, root: pagesRoot, takesAlerts, at };
    const contentLanguage = shop.language ?? sources.contentLanguage;
    return { ...known, contentLanguage, isFramed: frameAncestors.length > 0 };
  }

  return {
    /** Returns the language of a response: the address names it, or else the reader's browser. */
    languageOf(query: string, accepted: string | null): Language {
      const [named] = query.includes('lang=') ? (readQuery(query).get('lang') ?? []) : [];
      return namedLanguage(named) ?? acceptedLanguage(accepted);
    },
    /** Returns a file of the pages, which is the same for everybody. */
    fileAt: (path: string): HttpResponse | undefined =>
      path === '/adopt/embed.js' ? embedScript(pagesRoot) : assetAt(path),
    /**
     * Names what an address shows: addresses that mean the same have one name. Undefined for one with a query that
     * is wrong. Whatever a page reads of its query must be in its name.
     */
    nameOf(path: string, query: string): string | undefined {
      if (query === '') return path;
      const lang = namedLanguage(readQuery(query).get('lang')?.[0]);
      const asked = listQueryOf(path, query);
      if (asked === undefined) return undefined;
      return `${path}${asked && `?${asked}`}${lang ? ` in ${lang}` : ''}`;
    },
    /** Writes the page at an address. Throws for programs what the API throws. */
    async write(ask: PageAsk): Promise<TextResponse> {
      const page = await contextOf(ask);
      const found = (await listPage(sources, page, ask)) ?? (await animalPage(sources, page, ask));
      if (found !== undefined) return framed(found, frameAncestors);
      const isFolder = ask.path.endsWith('/');
      return isFolder ? movedTo(linkTo(page, ask.path.replace(/\/+$/, ''))) : missing(page);
    },
    /** Writes the page for an address that sends too many requests. */
    async refuse(ask: PageAsk, seconds: number): Promise<HttpResponse> {
      const text = renderRefusal(await contextOf(ask), { status: 429, seconds });
      return withoutStore(pageResponse(text, 429), { 'retry-after': `${seconds}` });
    },
    /**
     * The form of an animal and the page after it. They are for one reader, so nothing keeps them.
     * `animal` is undefined unless it is listed.
     */
    async form(ask: PageAsk, petId: string) {
      const page = await contextOf(ask);
      const id = int64FromText(petId);
      const found = id === undefined ? undefined : await storage.listings.find(id);
      const animal = found && isListed(found.pet, found.profile) ? found : undefined;
      return {
        page,
        animal,
        renderEnquiryForm,
        renderThanks,
        respond,
        missing: () => noForm(page),
      };
    },
    /** The form of alerts, and the pages that their mails lead to. */
    async alerts(ask: PageAsk) {
      const page = await contextOf(ask);
      const missing = () => noForm(page);
      const render = { renderAlertForm, renderAlertLink, renderAlertNote };
      return { page, ...render, searchIn, respond, missing };
    },
  };

  /** Returns a page that is for one reader only. */
  function respond(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    return withoutStore(framed(pageResponse(text, status), frameAncestors), headers);
  }

  async function missing(page: PageContext): Promise<TextResponse> {
    const animals = await some(storage, page.at);
    const text = renderNotice(page, 'missing', animals);
    return framed(pageResponse(text, 404), frameAncestors);
  }

  async function noForm(page: PageContext): Promise<HttpResponse> {
    return withoutStore(await missing(page));
  }
}

function withoutStore(response: TextResponse, more = {}): HttpResponse {
  const { etag: _, ...headers } = response.headers;
  return { ...response, headers: { ...headers, ...more, 'cache-control': 'private, no-store' } };
}

const made = new Map<string, HttpResponse>();

/** The script that shows animals on the page of somebody else, with the words that it needs. */
function embedScript(root: string): HttpResponse {
  const known = made.get(root) ?? scriptResponse(root);
  made.set(root, known);
  return known;
}

function scriptResponse(root: string): HttpResponse {
  const words = LANGUAGE_NAMES.map((name) => {
    const { widget, species, sex, ageGroup, youngest, about, mix, mixOf } = messagesIn(name);
    const patterns = { about: about('%'), mix: mix('%'), mixOf: mixOf('%', '%') };
    return [name, { ...widget, species, sex, ageGroup, youngest, ...patterns }];
  });
  const body = script
    .replace('WORDS_OF_ALL_LANGUAGES', () => JSON.stringify(Object.fromEntries(words)))
    .replace('ADDRESS_OF_THE_SHOP', () => root)
    .replace('DRAWINGS', () => adoptAssets.root);
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=3600',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    etag: entityTag(body),
  };
  return { status: 200, body, headers };
}
