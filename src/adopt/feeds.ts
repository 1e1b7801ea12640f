import { animalAddress } from '../domain/animal-address.ts';
import type { ListedName, Listing } from '../domain/listing.ts';
import { photoFileNames } from '../domain/photo.ts';
import { shortFacts } from './facts.ts';
import { type Html, html } from './html.ts';
import { LANGUAGE_NAMES, messagesIn } from './languages.ts';
import { linkTo, type PageContext, paragraphs, shopName, written } from './page.ts';
import { shownElsewhere } from './photos.ts';

const XML = html`<?xml version="1.0" encoding="utf-8"?>`;
const SITEMAPS = 'http://www.sitemaps.org/schemas/sitemap/0.9';

const timeText = (at: number) => new Date(at).toISOString();

/** The addresses of a feed and of the list that it is of, and what its ids start with. */
export interface FeedPlace {
  readonly address: string;
  readonly list: string;
  readonly tag: string;
}

/** Writes the newest animals of a search as Atom (RFC 4287). Ids are the same wherever the service is (RFC 4151). */
export function renderFeed(
  page: PageContext,
  { address, list, tag }: FeedPlace,
  animals: readonly Listing[],
): string {
  const { root, language } = page;
  const t = messagesIn(language);
  const newest = Math.max(0, ...animals.map(({ shownAt }) => shownAt ?? 0));
  return html`${XML}
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xml:lang="${language}">
<id>${tag}${address.slice(1)}</id>
<title>${shopName(page)}: ${t.home}</title>
<updated>${timeText(newest)}</updated>
<author><name>${shopName(page)}</name></author>
<link rel="self" type="application/atom+xml" href="${root + address}"/>
<link rel="alternate" type="text/html" href="${root + list}"/>
${animals.map((animal) => feedEntry(page, tag, animal))}</feed>
`.text;
}

function feedEntry(page: PageContext, tag: string, animal: Listing): Html {
  const { root, at, language } = page;
  const { pet, profile, listedAt, shownAt } = animal;
  const t = messagesIn(language);
  const url = root + linkTo(page, animalAddress(pet));
  const image = shownElsewhere(animal, root);
  const facts = shortFacts(profile, at, t);
  const reserved = pet.status === 'pending' && t.reserved;
  const { headline, description } = profile;
  const picture =
    image &&
    html`<p><img src="${image.url}" width="${image.width}" height="${image.height}" alt="${image.alt}"></p>`;
  const content = html`${picture}<p>${facts}</p>${reserved && html`<p><strong>${reserved}</strong></p>`}${headline && html`<p${written(page)}>${headline}</p>`}${description && html`<div${written(page)}>${paragraphs(description)}</div>`}`;
  const media =
    image &&
    html`<media:content url="${image.url}" medium="image" type="image/jpeg" width="${image.width}" height="${image.height}"/>`;
  return html`<entry><id>${tag}adopt/${pet.id}</id><title>${reserved ? `${pet.name} (${reserved})` : pet.name}</title><link href="${url}"/><published>${timeText(listedAt ?? 0)}</published><updated>${timeText(shownAt ?? 0)}</updated><summary>${facts}</summary>${media}<content type="html">${content.text}</content></entry>
`;
}

/** Writes the addresses of animals for search engines, with their photos; the first part has that of the list too. */
export function renderSitemap(
  root: string,
  animals: readonly ListedName[],
  isFirst: boolean,
): string {
  const languages = (path: string) =>
    LANGUAGE_NAMES.map((name) => {
      const url = root + (name === 'en' ? path : `${path}?lang=${name}`);
      return html`<xhtml:link rel="alternate" hreflang="${name}" href="${url}"/>`;
    });
  const list = html`<url><loc>${root}/adopt</loc>${languages('/adopt')}</url>\n`;
  const urls = animals.map((animal) => {
    const path = animalAddress(animal);
    const images = animal.photos.map(
      (photo) =>
        html`<image:image><image:loc>${root}/photos/${photoFileNames(photo).jpeg}</image:loc></image:image>`,
    );
    return html`<url><loc>${root + path}</loc><lastmod>${timeText(animal.shownAt)}</lastmod>${languages(path)}${images}</url>\n`;
  });
  return html`${XML}
<urlset xmlns="${SITEMAPS}" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${isFirst && list}${urls}</urlset>
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
