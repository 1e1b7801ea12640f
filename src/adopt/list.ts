import { animalAddress } from '../domain/animal-address.ts';
import type { BreedCount, Facets } from '../domain/facets.ts';
import { LISTING_SORTS, type Listing } from '../domain/listing.ts';
import { CHILD_AGES } from '../domain/listing-filter.ts';
import { SPECIES } from '../domain/profile.ts';
import { townOf } from '../domain/shop.ts';
import { alertLink } from './alerts.ts';
import { CARD_SIZES, cards } from './cards.ts';
import { type Html, html, type Part } from './html.ts';
import { type Messages, messagesIn } from './languages.ts';
import { ADOPT_SCRIPT, linkTo, type PageContext, shopData, writePage } from './page.ts';
import { preload, shownElsewhere } from './photos.ts';

/** What the address of a list may say, besides its page. */
export type ListQuery = {
  readonly [Name in FormFacet | Single | 'species' | 'categoryId' | 'sort']?: string | undefined;
};

/** A page of the list. */
export interface ListView {
  /** The filters as an address has them: several values with commas. */
  readonly query: ListQuery;
  readonly animals: readonly Listing[];
  readonly facets: Facets;
  readonly breeds: readonly BreedCount[];
  /** The cursors of this page and the next one; undefined for the first and after the last. */
  readonly cursor: string | undefined;
  readonly next: string | undefined;
}

/** Filters of which several values can be chosen. */
const FORM_FACETS = ['ageGroup', 'sex', 'size', 'goodWith'] as const;
type FormFacet = (typeof FORM_FACETS)[number];
/** Filters of one value. */
type Single = 'q' | 'breed' | 'children' | 'status';
/** With whom the form asks. Whether it fits children is asked by their age. */
const ASKED = ['dogs', 'cats'];

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
  const feed = linkTo(page, listAddress({ ...query, sort: undefined }, '/adopt/feed.xml'));
  const species = query.species && speciesTitle(query.species, t);
  const town = townOf(page.shop);
  const title = species ? t.homeOf(species) : t.home;
  const none = html`<div class="none"><h2>${isFiltered ? t.none : t.empty}</h2>${isFiltered && html`<p>${t.noneLead}</p><p><a class="button" href="${linkTo(page, '/adopt')}">${t.clear}</a></p>`}</div>`;
  const alert = alertLink(page, listAddress({ ...query, sort: undefined }, '').replace('?', ''));
  const main = html`<div class="welcome brief"><h1>${species || t.home}</h1><p class="lead">${t.lead}</p></div>
${speciesLinks(page, view)}
${filterForm(page, view, total)}
<div class="count"><p role="status"><strong>${t.found(total)}</strong></p>${chips(page, query)}</div>
${animals.length === 0 ? none : cards(page, animals, true)}
${alert}
<p class="pages">${cursor && html`<a class="quiet" href="${linkTo(page, listAddress(query))}">${t.first}</a>`}${next && html`<a class="button" rel="next" href="${linkTo(page, listAddress({ ...query, cursor: next }))}">${t.next}</a>`}</p>
<p class="pages"><a href="${feed}">${t.subscribe}</a></p>`;
  return writePage(page, {
    title,
    headTitle: town === undefined ? title : t.inTown(title, town),
    description: t.listDescription(total),
    address: listAddress({ ...query, cursor }),
    // One kind of animal is a page of its own. Other lists are parts of others, which change every day.
    indexed: cursor === undefined && isOneSpecies(query),
    image: animals[0] && shownElsewhere(animals[0], page.root),
    head: html`${preload(animals[0]?.photos[0], CARD_SIZES)}<link rel="alternate" type="application/atom+xml" title="${t.feed}" href="${feed}">${ADOPT_SCRIPT}`,
    data: [shopData(page), itemList(page, animals)],
    main,
  });
}

/** Whether a list is of all animals, or of those of one species. */
function isOneSpecies({ species, ...others }: ListQuery): boolean {
  const isFiltered = Object.values(others).some((value) => value !== undefined);
  return !isFiltered && (species === undefined || SPECIES.some((one) => one === species));
}

/** The chosen filters, each with the way to the list without it. */
function chips(page: PageContext, query: ListQuery): Part {
  const t = messagesIn(page.language);
  const single: readonly (readonly [Single, string | undefined])[] = [
    ['q', query.q && `“${query.q}”`],
    ['breed', query.breed],
    ['children', childrenWords(query.children, t)],
    [
      'status',
      query.status &&
        valuesIn(query.status)
          .map((one) => statusWords(one, t))
          .join(', '),
    ],
  ];
  const several = FORM_FACETS.flatMap((facet) =>
    valuesIn(query[facet]).map((value) => {
      const words: Readonly<Record<string, string>> =
        facet === 'goodWith' ? t.companions : t[facet];
      const rest = valuesIn(query[facet]).filter((other) => other !== value);
      const label = facet === 'goodWith' ? `${t.labels.goodWith}: ${words[value]}` : words[value];
      return [label, { ...query, [facet]: rest.join(',') || undefined }] as const;
    }),
  );
  const all = [
    ...single
      .filter(([, words]) => words)
      .map(([name, words]) => [words, { ...query, [name]: undefined }] as const),
    ...several,
    ...(query.categoryId
      ? [[t.labels.category, { ...query, categoryId: undefined }] as const]
      : []),
  ];
  if (all.length === 0) return '';
  return html`<ul class="chips">${all.map(([words, without]) => html`<li><a href="${linkTo(page, listAddress(without))}" aria-label="${t.remove(words ?? '')}">${words} <span aria-hidden="true">×</span></a></li>`)}<li><a class="clear" href="${linkTo(page, listAddress({ species: query.species, sort: query.sort }))}">${t.clear}</a></li></ul>`;
}

const childrenWords = (age: string | undefined, t: Messages) => {
  const found = CHILD_AGES.find((one) => one === age);
  return found && `${t.youngestChild}: ${t.childAges[found]}`;
};

const statusWords = (status: string, t: Messages) => (status === 'available' ? t.free : t.reserved);

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
  if (there.length < 2 && chosen.length === 0) return html``;
  return html`<nav class="species" aria-label="${t.labels.species}"><ul>${link(undefined, t.all, chosen.length === 0)}${there.map(
    (name) =>
      link(
        name,
        html`${t.species[name][1]} <small>${facets.species[name] ?? 0}</small>`,
        chosen.includes(name),
      ),
  )}</ul></nav>`;
}

function filterForm(page: PageContext, view: ListView, total: number): Html {
  const { query, facets } = view;
  const t = messagesIn(page.language);
  const hidden = (name: string, value: string | undefined) =>
    value && html`<input type="hidden" name="${name}" value="${value}">`;
  const sort = query.sort ?? 'fair';
  const isReserved = query.status !== undefined && query.status !== 'available';
  return html`<details class="filters"><summary>${t.filters}</summary>
<form id="filters" method="get" action="/adopt" role="search">
${hidden('species', query.species)}${isReserved && hidden('status', query.status)}${hidden('categoryId', query.categoryId)}${valuesIn(query.goodWith).includes('children') && hidden('goodWith', 'children')}${page.namesLanguage && hidden('lang', page.language)}
<p><label for="q">${t.search}</label><input id="q" type="search" name="q" maxlength="200" placeholder="${t.searchHint}" value="${query.q}"></p>
${breedField(t, view)}
${childrenField(t, view)}
<p><label for="sort">${t.sort}</label><select id="sort" name="sort" aria-describedby="sort-hint">${LISTING_SORTS.map(
    (name) =>
      html`<option value="${name}"${name === sort && html` selected`}>${t.sorts[name]}</option>`,
  )}</select><small id="sort-hint">${t.sortHint}</small></p>
${FORM_FACETS.map((facet) => choices(t, facet, query, facets))}
${!isReserved && html`<p><label class="check"><input type="checkbox" name="status" value="available"${query.status && html` checked`}> ${t.free} <small>${facets.status['available'] ?? 0}</small></label></p>`}
<p class="do"><button class="button" type="submit">${t.showCount(total)}</button></p></form></details>`;
}

/** The breeds that there are are offered, and any other may be written. */
function breedField(t: Messages, { query, breeds }: ListView): Part {
  if (breeds.length === 0 && query.breed === undefined) return '';
  return html`<p><label for="breed">${t.labels.breed}</label><input id="breed" name="breed" maxlength="100" list="breeds" autocomplete="off" value="${query.breed}"></p><datalist id="breeds">${breeds.map(({ breed, listings }) => html`<option value="${breed}">${listings}</option>`)}</datalist>`;
}

function childrenField(t: Messages, { query, facets }: ListView): Part {
  const option = (value: keyof Messages['childAges'], count: number | undefined) =>
    html`<option value="${value}"${(query.children ?? 'any') === value && html` selected`}>${t.childAges[value]}${count !== undefined && ` (${count})`}</option>`;
  return html`<p><label for="children">${t.youngestChild}</label><select id="children" name="children">${option('any', undefined)}${CHILD_AGES.map((age) => option(age, facets.children[age] ?? 0))}</select></p>`;
}

/** The values of a facet that there are, or that were chosen. */
function choices(t: Messages, facet: FormFacet, query: ListQuery, facets: Facets): Part {
  const words: Readonly<Record<string, string>> = facet === 'goodWith' ? t.companions : t[facet];
  const chosen = valuesIn(query[facet]);
  const there = Object.keys(words)
    .filter((value) => facets[facet][value] || chosen.includes(value))
    .filter((value) => facet !== 'goodWith' || ASKED.includes(value));
  if (there.length === 0) return '';
  return html`<fieldset><legend>${t.labels[facet]}</legend>${there.map(
    (value) =>
      html`<label class="check"><input type="checkbox" name="${facet}" value="${value}"${chosen.includes(value) && html` checked`}> ${words[value]} <small>${facets[facet][value] ?? 0}</small></label>`,
  )}</fieldset>`;
}
