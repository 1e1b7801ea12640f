import { animalAddress } from '../domain/animal-address.ts';
import type { Facets } from '../domain/facets.ts';
import { LISTING_SORTS, type Listing } from '../domain/listing.ts';
import { SPECIES } from '../domain/profile.ts';
import { alertLink } from './alerts.ts';
import { CARD_SIZES, cards } from './cards.ts';
import { type Html, html, type Part } from './html.ts';
import { type Messages, messagesIn } from './languages.ts';
import { linkTo, type PageContext, shopData, writePage } from './page.ts';
import { preload, shownElsewhere } from './photos.ts';

/** What the address of a list may say, besides its page. */
export type ListQuery = {
  readonly [Name in FormFacet | 'species' | 'status' | 'categoryId' | 'q' | 'sort']?:
    | string
    | undefined;
};

/** A page of the list. */
export interface ListView {
  /** The filters as an address has them: several values with commas. */
  readonly query: ListQuery;
  readonly animals: readonly Listing[];
  readonly facets: Facets;
  /** The cursors of this page and the next one; undefined for the first and after the last. */
  readonly cursor: string | undefined;
  readonly next: string | undefined;
}

const FORM_FACETS = ['ageGroup', 'sex', 'size', 'goodWith'] as const;
type FormFacet = (typeof FORM_FACETS)[number];

/** The address of a list: only what differs from the plain one, in one order. */
export function listAddress(query: ListQuery & { cursor?: string | undefined }, path = '/adopt') {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&');
  return text === '' ? path : `${path}?${text}`;
}

const valuesIn = (text: string | undefined) => text?.split(',') ?? [];

/** How many animals pass all filters. */
function totalOf({ facets, query }: ListView): number {
  const wanted = valuesIn(query.status);
  const counts = Object.entries(facets.status);
  return counts.reduce(
    (sum, [status, count]) => (wanted.length === 0 || wanted.includes(status) ? sum + count : sum),
    0,
  );
}

/** Writes a page of the list of animals, with its filters. */
export function renderList(page: PageContext, view: ListView): string {
  const { query, animals, cursor, next } = view;
  const t = messagesIn(page.language);
  const total = totalOf(view);
  const isFiltered = Object.keys(query).some((name) => name !== 'sort');
  const feed = listAddress({ ...query, sort: undefined }, '/adopt/feed.xml');
  const subscribe = html`<a href="${feed}">${t.subscribe}</a>`;
  const title = query.species && speciesTitle(query.species, t);
  const none = html`<div class="none"><h2>${isFiltered ? t.none : t.empty}</h2>${isFiltered && html`<p>${t.noneLead}</p><p><a class="button" href="${linkTo(page, '/adopt')}">${t.clear}</a></p>`}</div>`;
  const alert = alertLink(page, listAddress({ ...query, sort: undefined }, '').replace('?', ''));
  const main = html`<div class="welcome"><h1>${title ?? t.home}</h1><p class="lead">${t.lead}</p></div>
${speciesLinks(page, view)}
${form(page, view)}
<p class="count" role="status"><strong>${t.found(total)}</strong>${isFiltered && html` <a href="${linkTo(page, '/adopt')}">${t.clear}</a>`} ${subscribe}</p>
${animals.length === 0 ? none : cards(page, animals, true)}
${alert}
<p class="pages">${cursor && html`<a class="quiet" href="${linkTo(page, listAddress(query))}">${t.first}</a>`}${next && html`<a class="button" rel="next" href="${linkTo(page, listAddress({ ...query, cursor: next }))}">${t.next}</a>`}</p>`;
  return writePage(page, {
    title: title ?? t.home,
    description: t.listDescription(total),
    address: listAddress({ ...query, cursor }),
    image: animals[0] && shownElsewhere(animals[0], page.root),
    head: html`${preload(animals[0]?.photos[0], CARD_SIZES)}<link rel="alternate" type="application/atom+xml" title="${t.feed}" href="${feed}">`,
    data: [shopData(page), itemList(page, animals)],
    main,
  });
}

function speciesTitle(text: string, t: Messages): string {
  const names = SPECIES.filter((species) => valuesIn(text).includes(species));
  return names.map((species) => t.species[species][1]).join(', ');
}

function itemList({ root }: PageContext, animals: readonly Listing[]): object {
  return {
    '@type': 'ItemList',
    itemListElement: animals.map(({ pet }, n) => ({
      '@type': 'ListItem',
      position: n + 1,
      name: pet.name,
      url: root + animalAddress(pet),
    })),
  };
}

/** A link for each species that there is, with its number. */
function speciesLinks(page: PageContext, { query, facets }: ListView): Html {
  const t = messagesIn(page.language);
  const chosen = valuesIn(query.species);
  const link = (species: string | undefined, words: Part, isCurrent: boolean) =>
    html`<li><a href="${linkTo(page, listAddress({ ...query, species }))}"${isCurrent && html` aria-current="true"`}>${words}</a></li>`;
  const there = SPECIES.filter((name) => facets.species[name] || chosen.includes(name));
  if (there.length < 2) return html``;
  return html`<nav class="species" aria-label="${t.labels.species}"><ul>${link(undefined, t.all, chosen.length === 0)}${there.map(
    (name) =>
      link(
        name,
        html`${t.species[name][1]} <small>${facets.species[name] ?? 0}</small>`,
        chosen.includes(name),
      ),
  )}</ul></nav>`;
}

function form(page: PageContext, { query, facets }: ListView): Html {
  const t = messagesIn(page.language);
  const hidden = (name: string, value: string | undefined) =>
    value && html`<input type="hidden" name="${name}" value="${value}">`;
  const { species: _, ...others } = query;
  const sort = query.sort ?? 'fair';
  return html`<details class="filters"${Object.keys(others).length > 0 && html` open`}><summary>${t.filters}</summary>
<form method="get" action="/adopt" role="search">
${hidden('species', query.species)}${hidden('status', query.status)}${hidden('categoryId', query.categoryId)}${page.namesLanguage && hidden('lang', page.language)}
<p><label for="q">${t.search}</label><input id="q" type="search" name="q" maxlength="200" placeholder="${t.searchHint}" value="${query.q}"></p>
<p><label for="sort">${t.sort}</label><select id="sort" name="sort" aria-describedby="sort-hint">${LISTING_SORTS.map(
    (name) =>
      html`<option value="${name}"${name === sort && html` selected`}>${t.sorts[name]}</option>`,
  )}</select><small id="sort-hint">${t.sortHint}</small></p>
${FORM_FACETS.map((facet) => choices(t, facet, query, facets))}
<p><button class="button" type="submit">${t.show}</button></p></form></details>`;
}

/** The values of a facet that there are, or that were chosen. */
function choices(t: Messages, facet: FormFacet, query: ListQuery, facets: Facets): Part {
  const words: Readonly<Record<string, string>> = facet === 'goodWith' ? t.companions : t[facet];
  const chosen = valuesIn(query[facet]);
  const there = Object.keys(words).filter(
    (value) => facets[facet][value] || chosen.includes(value),
  );
  if (there.length === 0) return '';
  return html`<fieldset><legend>${t.labels[facet]}</legend>${there.map(
    (value) =>
      html`<label class="check"><input type="checkbox" name="${facet}" value="${value}"${chosen.includes(value) && html` checked`}> ${words[value]} <small>${facets[facet][value] ?? 0}</small></label>`,
  )}</fieldset>`;
}
