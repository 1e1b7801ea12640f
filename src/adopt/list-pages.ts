import { parseQuery } from '../api/contract/check.ts';
import { queryPairs } from '../api/contract/list-page.ts';
import {
  filterOf,
  type ListingQuery,
  listingQuery,
  listingTexts,
  readListings,
} from '../api/resources/listing-query.ts';
import { listingResult } from '../api/resources/listings.ts';
import { Failure } from '../domain/failure.ts';
import { writeJson } from '../http/json.ts';
import { JSON_TYPE, type TextResponse } from '../http/response.ts';
import { type Query, readQuery } from '../http/target.ts';
import { renderFeed, renderSitemap, renderSitemapIndex, robotsText } from './feeds.ts';
import { listAddress, renderList } from './list.ts';
import { renderNotice } from './notices.ts';
import { linkTo, type PageContext } from './page.ts';
import {
  movedTo,
  openRefusal,
  openResponse,
  type PageAsk,
  type PageSources,
  pageResponse,
  some,
} from './served.ts';

const LIST_LIMIT = 24;
const FEED_LIMIT = 50;
/** Far fewer than a sitemap may have (50,000), so that each is written in a moment. */
const SITEMAP_LIMIT = 2_000;
const SITEMAP_PART = /^\/adopt\/sitemap-([1-9]\d{0,3})\.xml$/;
const SITEMAPS = /^\/adopt\/sitemap[-.]/;

type Write = (sources: PageSources, page: PageContext, ask: PageAsk) => Promise<TextResponse>;

const PAGES: Readonly<Record<string, Write>> = {
  '/adopt': list,
  '/adopt/': async (_, page) => movedTo(linkTo(page, '/adopt')),
  '/adopt/animals.json': animals,
  '/adopt/feed.xml': feed,
  '/adopt/sitemap.xml': sitemap,
  '/robots.txt': async ({ pagesRoot }) =>
    openResponse('text/plain; charset=utf-8', robotsText(pagesRoot)),
};

/** Returns a page of several animals; undefined for another path. */
export async function listPage(
  sources: PageSources,
  page: PageContext,
  ask: PageAsk,
): Promise<TextResponse | undefined> {
  if (SITEMAPS.test(ask.path) && ask.query !== '') {
    // With a meaningless query each page would be rendered and compressed again.
    return movedTo(ask.path);
  }
  const [, part] = SITEMAP_PART.exec(ask.path) ?? [];
  const write = PAGES[ask.path];
  try {
    return part === undefined
      ? await write?.(sources, page, ask)
      : await sitemapPart(sources, Number(part));
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 400) throw error;
    return openRefusal(error);
  }
}

/** Paths that show what their query asks for. */
const ASKED: readonly string[] = ['/adopt', '/adopt/animals.json', '/adopt/feed.xml'];

/** Returns what the query of a path asks for, in one form: '' where it asks for nothing, undefined where it is wrong. */
export function listQueryOf(path: string, query: string): string | undefined {
  // With a query, a sitemap only leads to the one without.
  if (SITEMAPS.test(path)) return undefined;
  if (!ASKED.includes(path)) return '';
  try {
    const asked = queryOf({ query });
    const { cursor, limit } = asked;
    return queryPairs({ ...shownTexts(asked), cursor, limit }).join('&');
  } catch {
    return undefined;
  }
}

/** The query of an address. Forms send empty fields too, which are left out. */
export function queryOf({ query }: Pick<PageAsk, 'query'>): ListingQuery {
  const given = new Map<string, readonly string[]>();
  for (const [name, values] of readQuery(query) satisfies Query) {
    // `children=any` is the choice of everything, too.
    const filled = values.filter(
      (value) => value.trim() !== '' && !(name === 'children' && value === 'any'),
    );
    if (filled.length > 0) given.set(name, filled);
  }
  return parseQuery(listingQuery, given);
}

async function list(sources: PageSources, page: PageContext, ask: PageAsk): Promise<TextResponse> {
  const { listings } = sources.storage;
  try {
    const query = { ...queryOf(ask), limit: LIST_LIMIT };
    const filter = filterOf(query);
    const [{ items, cursor: next }, facets, breeds] = await Promise.all([
      readListings(listings, query, ask.at),
      sources.countFacets(filter, ask.at),
      listings.breeds(filter, ask.at),
    ]);
    const { cursor } = query;
    const view = { query: shownTexts(query), animals: items, facets, breeds, cursor, next };
    return pageResponse(renderList(page, view));
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 400) throw error;
    const animals = await some(sources.storage, ask.at);
    return pageResponse(renderNotice(page, 'wrongFilter', animals), 400);
  }
}

/** The query as addresses of lists repeat it: the plain order goes without saying. */
export function shownTexts(query: ListingQuery) {
  const { sort, ...texts } = listingTexts(query);
  const all = sort === undefined || sort === 'fair' ? texts : { ...texts, sort };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

async function animals(
  { storage, baseUrl, pagesRoot }: PageSources,
  _: PageContext,
  ask: PageAsk,
): Promise<TextResponse> {
  const services = { storage, baseUrl, pagesRoot };
  const address = `${pagesRoot}/adopt/animals.json`;
  const result = await listingResult(queryOf(ask), ask.at, services, address);
  return openResponse(JSON_TYPE, writeJson(result.value), result.headers);
}

async function feed(
  { storage }: PageSources,
  page: PageContext,
  ask: PageAsk,
): Promise<TextResponse> {
  const asked = queryOf(ask);
  const query = { ...asked, sort: 'newest' as const, limit: FEED_LIMIT, cursor: undefined };
  const { items } = await readListings(storage.listings, query, ask.at);
  const { sort: _, ...texts } = listingTexts(query);
  const address = linkTo(page, listAddress(texts, '/adopt/feed.xml'));
  const at = new Date(page.at).toISOString().slice(0, 10);
  const tag = await storage.shop.feedTag(
    `tag:${new URL(page.root).hostname.replace(/[^a-z0-9.-]/g, '')},${at}:`,
  );
  const text = renderFeed(page, { address, list: linkTo(page, listAddress(texts)), tag }, items);
  return openResponse('application/atom+xml; charset=utf-8', text);
}

const xml = (text: string) => openResponse('application/xml; charset=utf-8', text);

async function sitemap(
  { storage, pagesRoot, countFacets }: PageSources,
  _: PageContext,
  { at }: PageAsk,
): Promise<TextResponse> {
  const { status } = await countFacets({}, at);
  const total = Object.values(status).reduce((sum, count) => sum + count, 0);
  const text =
    total > SITEMAP_LIMIT
      ? renderSitemapIndex(pagesRoot, Math.ceil(total / SITEMAP_LIMIT))
      : renderSitemap(pagesRoot, await storage.listings.names(0, SITEMAP_LIMIT), true);
  return xml(text);
}

async function sitemapPart(
  { storage, pagesRoot }: PageSources,
  part: number,
): Promise<TextResponse | undefined> {
  const names = await storage.listings.names((part - 1) * SITEMAP_LIMIT, SITEMAP_LIMIT);
  if (names.length === 0) return undefined;
  return xml(renderSitemap(pagesRoot, names, part === 1));
}
