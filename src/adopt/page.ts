import { photoFileNames } from '../domain/photo.ts';
import { type Shop, townOf } from '../domain/shop.ts';
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
  /** The language in which staff write (BCP 47), if that is known. */
  readonly contentLanguage?: string | undefined;
  /** Whether other sites may show the page in a frame: it then tells them its height. */
  readonly isFramed?: boolean;
}

/** A page without what all pages share. */
export interface PageParts {
  readonly title: string;
  readonly description?: string | undefined;
  /** Its own address: path and query, without the language. Undefined for a page that has none. */
  readonly address?: string | undefined;
  /** Whether search engines may show it. */
  readonly indexed?: boolean;
  /** The title of the head, if it says more than that of the page. */
  readonly headTitle?: string | undefined;
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

/** Tells a site that shows a page in a frame how high it is. */
const FRAME_SCRIPT = html`<script src="${adoptAssets.root}/frame.js" defer></script>`;

/** Returns an address with the language in it, if the reader chose one. */
export function linkTo(page: Pick<PageContext, 'language' | 'namesLanguage'>, address: string) {
  return page.namesLanguage ? inLanguage(address, page.language) : address;
}

/** An address in a language. English is that of the plain one. */
function inLanguage(address: string, language: Language): string {
  return `${address}${address.includes('?') ? '&' : '?'}lang=${language}`;
}

/** Returns the name of the shop, or what it is. */
export function shopName({ shop, language }: PageContext): string {
  return shop.name ?? messagesIn(language).shelter;
}

/** The attribute of text that staff wrote, if it is in another language than the page. */
export function written({ contentLanguage, language }: PageContext): Html {
  const isOther = contentLanguage !== undefined && contentLanguage.split('-')[0] !== language;
  return isOther ? html` lang="${contentLanguage}"` : html``;
}

/** The logo of the shop as others show it, or else an icon. */
function shopImage({ shop: { logo }, root }: PageContext): NonNullable<PageParts['image']> {
  if (logo === null) return { url: `${root}/adopt/icon-512.png`, width: 512, height: 512, alt: '' };
  const name = photoFileNames(logo).jpeg;
  const width = Math.min(logo.width, 1_280);
  const height = Math.round((logo.height * width) / logo.width);
  return { url: `${root}/photos/${name}`, width, height, alt: '' };
}

/** The postal address as search engines read it: its lines, and the town. */
function addressData(shop: Shop) {
  const lines = shop.address?.split(/[\r\n]+/).map((line) => line.trim()) ?? [];
  const town = townOf(shop);
  const isLast = lines.length > 1;
  const street = (isLast ? lines.slice(0, -1) : lines).join(', ');
  const code = /\S*\d\S*(?:\s+\d\S*)?/.exec(isLast ? (lines.at(-1) ?? '') : '')?.[0];
  return {
    '@type': 'PostalAddress',
    ...(street && { streetAddress: street }),
    ...(code && { postalCode: code }),
    ...(town && { addressLocality: town }),
  };
}

/** The shop for search engines. */
export function shopData(page: PageContext): object {
  const { shop, root } = page;
  const image = shopImage(page).url;
  return {
    '@type': 'AnimalShelter',
    '@id': `${root}/adopt#shop`,
    name: shopName(page),
    url: `${root}/adopt`,
    image,
    ...(shop.logo && { logo: image }),
    ...((shop.address || shop.town) && { address: addressData(shop) }),
    ...(shop.hours && { openingHours: shop.hours.split(/[\r\n]+/) }),
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
<header class="top"><a class="brand" href="${linkTo(page, '/adopt')}">${brand(page)}<span>${shopName(page)}</span></a>${!inOneLanguage && languages(page, parts)}</header>
<main id="main" tabindex="-1">
${main}
</main>
${footer(page)}`;
  return html`<!doctype html>
<html lang="${language}">
<head>
${head(page, parts)}
</head>
<body>
${body}
</body>
</html>
`.text;
}

function head(page: PageContext, parts: PageParts): Html {
  const { shop, language, root } = page;
  const { title, description, address, indexed = true, data } = parts;
  const image = parts.image ?? shopImage(page);
  const url = address && root + address;
  const own = url && (page.namesLanguage ? plain(url, language) : url);
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${parts.headTitle ?? title} · ${shopName(page)}</title>
${description && html`<meta name="description" content="${description}">`}
${indexed ? '' : html`<meta name="robots" content="noindex, follow">`}
<link rel="icon" href="/favicon.ico" sizes="32x32"><link rel="icon" href="${adoptAssets.root}/other.svg" type="image/svg+xml"><link rel="apple-touch-icon" href="/apple-touch-icon.png">
<link rel="stylesheet" href="${stylesAt(shop.accentColour ?? ACCENT)}">
${url && html`<link rel="canonical" href="${own}">${alternates(url)}`}
${own && html`<meta property="og:type" content="website"><meta property="og:url" content="${own}">`}
<meta property="og:title" content="${title}"><meta property="og:site_name" content="${shopName(page)}">
<meta property="og:locale" content="${messagesIn(language).locale}">
${description && html`<meta property="og:description" content="${description}">`}
<meta property="og:image" content="${image.url}"><meta property="og:image:width" content="${image.width}"><meta property="og:image:height" content="${image.height}">${image.alt && html`<meta property="og:image:alt" content="${image.alt}">`}<meta name="twitter:card" content="${parts.image ? 'summary_large_image' : 'summary'}">
${parts.head}${page.isFramed && FRAME_SCRIPT}
${data && structuredData({ '@context': 'https://schema.org', '@graph': data })}`;
}

/** The address of a page for search engines: that in English is the plain one. */
const plain = (url: string, language: Language) =>
  language === 'en' ? url : inLanguage(url, language);

/** The logo, whose words stand beside it, or a drawing. */
function brand({ shop: { logo } }: PageContext): Html {
  if (logo === null)
    return html`<img src="${adoptAssets.root}/other.svg" width="32" height="32" alt="">`;
  const { width, height } = logo;
  return html`<img class="logo" src="/photos/${photoFileNames(logo).small}" width="${width}" height="${height}" alt="">`;
}

function alternates(url: string): Html {
  return html`${LANGUAGE_NAMES.map(
    (name) => html`<link rel="alternate" hreflang="${name}" href="${plain(url, name)}">`,
  )}<link rel="alternate" hreflang="x-default" href="${url}">`;
}

function languages(page: PageContext, { address = '/adopt' }: PageParts): Html {
  const links = LANGUAGE_NAMES.map((name) => {
    const current = name === page.language ? html` aria-current="true"` : '';
    return html`<a href="${inLanguage(address, name)}" lang="${name}" hreflang="${name}"${current}>${messagesIn(name).language}</a>`;
  });
  return html`<nav class="languages" aria-label="${messagesIn(page.language).languages}">${links}</nav>`;
}

function footer(page: PageContext): Html {
  const { hours, imprintUrl, privacyUrl, donateUrl, links } = page.shop;
  const t = messagesIn(page.language);
  const link = (url: string | null, label: string) =>
    url && html`<li><a href="${url}">${label}</a></li>`;
  return html`<footer class="bottom"><section aria-label="${t.visit}"><h2>${shopName(page)}</h2>
${contact(page)}
</section>
${hours && html`<section><h2>${t.hours}</h2><p${written(page)}>${lines(hours)}</p></section>`}
<ul class="more"><li><a href="${linkTo(page, '/adopt')}">${t.seeAll}</a></li>${links?.map(({ url, label }) => html`<li><a href="${url}"${written(page)}>${label}</a></li>`)}${link(donateUrl, t.donate)}${link(imprintUrl, t.imprint)}${link(privacyUrl, t.privacy)}<li><a href="${linkTo(page, '/adopt/feed.xml')}">${t.feedLink}</a></li></ul>
</footer>`;
}

/** How to reach the shop: address, telephone and e-mail. */
export function contact({ shop: { address, telephone, email }, language }: PageContext): Html {
  const map = `https://www.openstreetmap.org/search?query=${encodeURIComponent(address?.replaceAll(/\s+/g, ' ') ?? '')}`;
  return html`${address && html`<p>${lines(address)} <a class="map" href="${map}" rel="noopener">${messagesIn(language).map}</a></p>`}
${telephone && html`<p><a href="${telephoneLink(telephone)}">${telephone}</a></p>`}
${email && html`<p><a href="${mailAddress(email)}">${email}</a></p>`}`;
}

/** An address of a mail. What ends it or adds headers to it is encoded. */
export const mailAddress = (email: string) =>
  `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`;

export const telephoneLink = (telephone: string) => `tel:${telephone.replaceAll(/[^+\d]/g, '')}`;

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
