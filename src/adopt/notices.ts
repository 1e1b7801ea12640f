import type { Listing } from '../domain/listing.ts';
import type { Pet } from '../domain/pet.ts';
import type { Shop } from '../domain/shop.ts';
import type { TextResponse } from '../http/response.ts';
import { isDecodable, readQuery } from '../http/target.ts';
import { alertLink } from './alerts.ts';
import { others } from './animal.ts';
import { html, type Part } from './html.ts';
import { acceptedLanguage, type Messages, messagesIn, namedLanguage } from './languages.ts';
import { type PageContext, telephoneLink, writePage } from './page.ts';
import { pageResponse } from './served.ts';

/** Pages that say something instead of showing an animal. */
type Notice = 'gone' | 'missing' | 'wrongFilter';

/** Writes a page that says why there is nothing here, and leads on. */
export function renderNotice(
  page: PageContext,
  notice: Notice,
  animals: readonly Listing[],
): string {
  const t = messagesIn(page.language);
  return noticePage(page, t[notice], t[`${notice}Lead`], animals);
}

/** Writes the page of an animal that was adopted not long ago. `search` finds animals like it. */
export function renderGoodbye(
  page: PageContext,
  { name }: Pick<Pet, 'name'>,
  search: string,
  animals: readonly Listing[],
): string {
  const t = messagesIn(page.language);
  return noticePage(page, t.goodbye(name), t.goodbyeLead, animals, alertLink(page, search));
}

/** Why a reader gets no page. */
export interface RefusalFacts {
  readonly status: number;
  /** Seconds until another try makes sense, if that is known. */
  readonly seconds: number | undefined;
}

function refusalTexts(
  t: Messages,
  { status, seconds = 60 }: RefusalFacts,
): readonly [string, string] {
  if (status === 429) return [t.tooMany, t.tooManyLead(seconds)];
  if (status === 413) return [t.tooLarge, t.tooLargeLead];
  return status >= 500 ? [t.unavailable, t.unavailableLead] : [t.unreadable, t.unreadableLead];
}

/** Writes the page for a reader whose request is refused, with the telephone number of the shop. */
export function renderRefusal(page: PageContext, facts: RefusalFacts): string {
  const t = messagesIn(page.language);
  const [title, lead] = refusalTexts(t, facts);
  const { telephone } = page.shop;
  const call =
    telephone && html`<p><a href="${telephoneLink(telephone)}">${t.callUs(telephone)}</a></p>`;
  return noticePage(page, title, lead, [], call);
}

/** The same where there are no public pages, and so no styles. */
export function renderPlainRefusal({ shop, language }: PageContext, facts: RefusalFacts): string {
  const t = messagesIn(language);
  const [title, lead] = refusalTexts(t, facts);
  return html`<!doctype html>
<html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title}</title>
<h1>${title}</h1><p>${lead}</p>${shop.telephone && html`<p>${t.callUs(shop.telephone)}</p>`}</html>
`.text;
}

function noticePage(
  page: PageContext,
  title: string,
  lead: string,
  animals: readonly Listing[],
  more: Part = '',
): string {
  const main = html`<div class="welcome"><h1>${title}</h1><p class="lead">${lead}</p>${more}</div>${others(page, animals)}`;
  return writePage(page, { title, indexed: false, main });
}

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
