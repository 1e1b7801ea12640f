import { animalAddress } from '../domain/animal-address.ts';
import type { Listing } from '../domain/listing.ts';
import type { Pet } from '../domain/pet.ts';
import { shortFacts } from './facts.ts';
import { type Html, html } from './html.ts';
import { messagesIn } from './languages.ts';
import { type PageContext, shopName } from './page.ts';
import { shownElsewhere } from './photos.ts';

const XML = html`<?xml version="1.0" encoding="utf-8"?>`;
const SITEMAPS = 'http://www.sitemaps.org/schemas/sitemap/0.9';

const timeText = (at: number) => new Date(at).toISOString();

/** Writes the newest animals of a search as Atom (RFC 4287). `address` is that of the feed. */
export function renderFeed(
  page: PageContext,
  address: string,
  animals: readonly Listing[],
): string {
  const { root, language } = page;
  const t = messagesIn(language);
  const newest = Math.max(0, ...animals.map(({ listedAt }) => listedAt ?? 0));
  return html`${XML}
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>${root + address}</id>
<title>${shopName(page)}: ${t.home}</title>
<updated>${timeText(newest)}</updated>
<author><name>${shopName(page)}</name></author>
<link rel="self" type="application/atom+xml" href="${root + address}"/>
<link rel="alternate" type="text/html" href="${root + address.replace('/feed.xml', '')}"/>
${animals.map((animal) => feedEntry(page, animal))}</feed>
`.text;
}

function feedEntry(page: PageContext, animal: Listing): Html {
  const { root, at, language } = page;
  const { pet, profile, listedAt } = animal;
  const url = root + animalAddress(pet);
  const image = shownElsewhere(animal, root);
  const text = [
    shortFacts(profile, at, messagesIn(language)),
    profile.headline,
    profile.description,
  ];
  const picture = image && html`<p><img src="${image.url}" alt="${image.alt}"></p>`;
  const content = html`${picture}${text.map((part) => part && html`<p>${part}</p>`)}`;
  return html`<entry><id>${root}/adopt/${pet.id}</id><title>${pet.name}</title><link href="${url}"/><updated>${timeText(listedAt ?? 0)}</updated><summary>${text[0]}</summary><content type="html">${content.text}</content></entry>
`;
}

/** Writes the addresses of animals for search engines; the first part has that of the list too. */
export function renderSitemap(
  root: string,
  pets: readonly Pick<Pet, 'id' | 'name'>[],
  isFirst: boolean,
): string {
  const urls = [...(isFirst ? ['/adopt'] : []), ...pets.map(animalAddress)];
  return html`${XML}
<urlset xmlns="${SITEMAPS}">
${urls.map((url) => html`<url><loc>${root + url}</loc></url>\n`)}</urlset>
`.text;
}

/** Writes the list of the parts of a large sitemap. */
export function renderSitemapIndex(root: string, parts: number): string {
  const urls = Array.from({ length: parts }, (_, n) => `${root}/adopt/sitemap-${n + 1}.xml`);
  return html`${XML}
<sitemapindex xmlns="${SITEMAPS}">
${urls.map((url) => html`<sitemap><loc>${url}</loc></sitemap>\n`)}</sitemapindex>
`.text;
}

/** Tells robots where they may go. */
export function robotsText(root: string): string {
  return `User-agent: *
Allow: /
Disallow: /v1/
Disallow: /console
Sitemap: ${root}/adopt/sitemap.xml
`;
}
