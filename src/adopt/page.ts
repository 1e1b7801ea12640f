import type { Shop } from '../domain/shop.ts';
import { ACCENT } from './accent.ts';
import { adoptAssets, stylesAt } from './assets.ts';
import { type Html, html, type Part, structuredData } from './html.ts';
import { LANGUAGE_NAMES, type Language, messagesIn } from './languages.ts';

/** What every page needs to know. */
export interface PageContext {
  readonly shop: Shop;
  readonly language: Language;
  /** Whether the address names the language: links then name it too, because there is no cookie. */
  readonly namesLanguage: boolean;
  /** The public address without a path at its end: `https://shelter.example`. */
  readonly root: string;
  /** Whether families can ask to be told of animals. */
  readonly takesAlerts: boolean;
  /** The day and time that the page is for, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A page without what all pages share. */
export interface PageParts {
  readonly title: string;
  readonly description?: string | undefined;
  /** Its own address: path and query, without the language. Undefined for a page that has none. */
  readonly address?: string | undefined;
  /** Whether search engines may show it. */
  readonly indexed?: boolean;
  /** The address of a picture, absolute, with its size. */
  readonly image?:
    | {
        readonly url: string;
        readonly width: number;
        readonly height: number;
        readonly alt: string;
      }
    | undefined;
  /** More of the head. */
  readonly head?: Part;
  readonly data?: readonly unknown[];
  readonly main: Html;
  /** A form that is being filled: another language would empty it. */
  readonly inOneLanguage?: boolean;
  /** A page to print has nothing around it. */
  readonly bare?: boolean;
}

/** The script of the pages, for those that it makes better. */
export const ADOPT_SCRIPT = html`<script src="${adoptAssets.root}/adopt.js" defer></script>`;

/** Returns an address with the language in it, if the reader chose one. */
export function linkTo(page: Pick<PageContext, 'language' | 'namesLanguage'>, address: string) {
  return page.namesLanguage ? inLanguage(address, page.language) : address;
}

function inLanguage(address: string, language: Language): string {
  return `${address}${address.includes('?') ? '&' : '?'}lang=${language}`;
}

/** Returns the name of the shop, or what it is. */
export function shopName({ shop, language }: PageContext): string {
  return shop.name ?? messagesIn(language).shelter;
}

/** The shop for search engines. */
export function shopData(page: PageContext): object {
  const { shop, root } = page;
  return {
    '@type': 'AnimalShelter',
    '@id': `${root}/adopt#shop`,
    name: shopName(page),
    url: `${root}/adopt`,
    ...(shop.address && { address: shop.address }),
    ...(shop.telephone && { telephone: shop.telephone }),
    ...(shop.email && { email: shop.email }),
  };
}

/** Writes a whole page. */
export function writePage(page: PageContext, parts: PageParts): string {
  const { language } = page;
  const { bare = false, inOneLanguage = false, main } = parts;
  const t = messagesIn(language);
  const body = bare
    ? main
    : html`<a class="skip" href="#main">${t.skip}</a>
<header class="top"><a class="brand" href="${linkTo(page, '/adopt')}"><img src="${adoptAssets.root}/other.svg" width="32" height="32" alt="">${shopName(page)}</a>${!inOneLanguage && languages(page, parts)}</header>
<main id="main" tabindex="-1">
${main}
</main>
${footer(page)}`;
  return html`<!doctype html>
<html lang="${language}">
<head>
${head(page, parts)}
</head>
<body${bare ? html` class="bare"` : ''}>
${body}
</body>
</html>
`.text;
}

function head(page: PageContext, parts: PageParts): Html {
  const { shop, language, root } = page;
  const { title, description, address, indexed = true, image, data } = parts;
  const own = address === undefined ? undefined : root + linkTo(page, address);
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${shopName(page)}</title>
${description && html`<meta name="description" content="${description}">`}
${indexed ? '' : html`<meta name="robots" content="noindex">`}
<link rel="icon" href="${adoptAssets.root}/other.svg" type="image/svg+xml">
<link rel="stylesheet" href="${stylesAt(shop.accentColour ?? ACCENT)}">
${own && html`<link rel="canonical" href="${own}">${alternates(root + address)}`}
${own && html`<meta property="og:type" content="website"><meta property="og:url" content="${own}">`}
<meta property="og:title" content="${title}"><meta property="og:site_name" content="${shopName(page)}">
<meta property="og:locale" content="${language}">
${description && html`<meta property="og:description" content="${description}">`}
${
  image &&
  html`<meta property="og:image" content="${image.url}"><meta property="og:image:width" content="${image.width}"><meta property="og:image:height" content="${image.height}"><meta property="og:image:alt" content="${image.alt}"><meta name="twitter:card" content="summary_large_image">`
}
${parts.head}
${data && structuredData({ '@context': 'https://schema.org', '@graph': data })}`;
}

function alternates(url: string): Html {
  return html`${LANGUAGE_NAMES.map(
    (name) => html`<link rel="alternate" hreflang="${name}" href="${inLanguage(url, name)}">`,
  )}<link rel="alternate" hreflang="x-default" href="${url}">`;
}

function languages(page: PageContext, { address = '/adopt' }: PageParts): Html {
  const links = LANGUAGE_NAMES.map((name) => {
    const current = name === page.language ? html` aria-current="true"` : '';
    return html`<a href="${inLanguage(address, name)}" lang="${name}" hreflang="${name}"${current}>${messagesIn(name).language}</a>`;
  });
  return html`<nav class="languages" aria-label="Language">${links}</nav>`;
}

function footer(page: PageContext): Html {
  const { address, telephone, email, hours } = page.shop;
  const t = messagesIn(page.language);
  return html`<footer class="bottom"><section aria-label="${t.visit}"><h2>${shopName(page)}</h2>
${address && html`<p>${lines(address)}</p>`}
${telephone && html`<p><a href="${telephoneLink(telephone)}">${telephone}</a></p>`}
${email && html`<p><a href="${mailAddress(email)}">${email}</a></p>`}
</section>
${hours && html`<section><h2>${t.hours}</h2><p>${lines(hours)}</p></section>`}
<p class="more"><a href="${linkTo(page, '/adopt')}">${t.seeAll}</a> <a href="/adopt/feed.xml">${t.feedLink}</a></p>
</footer>`;
}

/** An address of a mail. What ends it or adds headers to it is encoded. */
export const mailAddress = (email: string) =>
  `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`;

const telephoneLink = (telephone: string) => `tel:${telephone.replaceAll(/[^+\d]/g, '')}`;

/** Lines of text, one below the other. */
export function lines(text: string): Part {
  return text.split(/\r\n?|\n/).map((line, n) => html`${n > 0 ? html`<br>` : ''}${line}`);
}

/** Paragraphs of text that empty lines separate. */
export function paragraphs(text: string): Part {
  return text
    .split(/(?:\r\n?|\n)\s*(?:\r\n?|\n)/)
    .map((paragraph) => html`<p>${lines(paragraph.trim())}</p>`);
}
