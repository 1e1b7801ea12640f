import { animalAddress } from '../domain/animal-address.ts';
import type { Listing } from '../domain/listing.ts';
import { photoFileNames } from '../domain/photo.ts';
import { townOf } from '../domain/shop.ts';
import { cards } from './cards.ts';
import { ageOf, breedOf, factGroups, shortFacts, signs, waitOf } from './facts.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { messagesIn } from './languages.ts';
import {
  ADOPT_SCRIPT,
  contact,
  lines,
  linkTo,
  mailAddress,
  type PageContext,
  paragraphs,
  shopData,
  shopName,
  telephoneLink,
  writePage,
  written,
} from './page.ts';
import { picture, preload, shownElsewhere } from './photos.ts';

const SIZES = '(min-width: 60rem) 36rem, 100vw';
const DESCRIPTION_MAX = 160;

/** Writes the page of an animal that is listed, with others like it. */
export function renderAnimal(
  page: PageContext,
  animal: Listing,
  similar: readonly Listing[],
  takesEnquiries: boolean,
): string {
  const { language, at, root, shop } = page;
  const { pet, profile } = animal;
  const t = messagesIn(language);
  const address = animalAddress(pet);
  const facts = shortFacts(profile, at, t);
  const wait = waitOf(profile, at, t);
  const ask = takesEnquiries
    ? linkTo(page, `/adopt/${pet.id}/enquiry`)
    : shop.email && `${mailAddress(shop.email)}?subject=${encodeURIComponent(pet.name)}`;
  const button = ask && html`<a class="button" href="${ask}">${t.adopt(pet.name)}</a>`;
  const main = html`<nav class="crumbs" aria-label="${t.animals}"><a href="${linkTo(page, '/adopt')}">${t.animals}</a> › ${pet.name}</nav>
<article class="animal">
${gallery(page, animal)}
<div class="side">
<h1>${pet.name}</h1>
<p class="lead">${facts}</p>
${signs(profile, t)}
${pet.status === 'pending' && html`<p class="notice"><strong>${t.reserved}.</strong> ${t.reservedLead(pet.name)}</p>`}
${profile.headline && html`<p class="headline"${written(page)}>${profile.headline}</p>`}
${wait && html`<p class="wait">${wait}</p>`}
<aside class="ask" aria-label="${t.contact}">
${button && html`<p>${button}<small>${t.adoptLead}</small></p>`}
${contact(page)}
${shop.hours && html`<h2>${t.hours}</h2><p${written(page)}>${lines(shop.hours)}</p>`}
</aside></div>
<div class="story">
${profile.description && html`<section class="text"><h2>${t.aboutName(pet.name)}</h2><div${written(page)}>${paragraphs(profile.description)}</div></section>`}
${profile.videoUrl && video(profile.videoUrl, t.video)}
${factGroups(profile, page)}
${shop.howToAdopt && html`<section class="text"><h2>${t.howToAdopt}</h2><div${written(page)}>${paragraphs(shop.howToAdopt)}</div></section>`}
${sharing(page, animal)}
</div>
${button && html`<p class="askbar">${button}${shop.telephone && html`<a class="quiet" href="${telephoneLink(shop.telephone)}" aria-label="${t.form.telephone}: ${shop.telephone}">${icon('telephone')}</a>`}</p>`}
</article>
${others(page, similar)}`;
  return writePage(page, {
    title: pet.name,
    headTitle: titleOf(page, animal),
    description: summaryOf(animal, facts),
    address,
    image: shownElsewhere(animal, root),
    head: html`${preload(animal.photos[0], SIZES)}${ADOPT_SCRIPT}`,
    data: dataOf(page, animal, address),
    main,
  });
}

/** Name, breed or species, age and town: what people search for. */
function titleOf({ language, at, shop }: PageContext, { pet, profile }: Listing): string {
  const t = messagesIn(language);
  const [species] = t.species[profile.species ?? 'other'];
  const age = ageOf(profile, at, t);
  return [pet.name, breedOf(profile, t) ?? species, age, townOf(shop)].filter(Boolean).join(', ');
}

/** A film: a link, which a script replaces by the film itself once somebody wants to see it. */
function video(url: string, words: string): Html {
  return html`<p class="video"><a class="quiet" href="${url}" rel="noopener" data-video="${playerOf(url)}">▶ ${words}</a></p>`;
}

/** Where a film is played in a page: from one of two hosts, or a file of its own; '' if it cannot be. */
function playerOf(address: string): string {
  const { hostname, pathname, searchParams } = new URL(address);
  const host = hostname.replace(/^(?:www|m|player)\./, '');
  const youtube =
    host === 'youtu.be'
      ? pathname.slice(1)
      : host === 'youtube.com'
        ? (searchParams.get('v') ?? /^\/(?:shorts|embed)\/([\w-]+)/.exec(pathname)?.[1])
        : undefined;
  if (youtube && /^[\w-]{6,20}$/.test(youtube)) {
    return `https://www.youtube-nocookie.com/embed/${youtube}?autoplay=1`;
  }
  const vimeo = host === 'vimeo.com' ? /(\d{5,12})/.exec(pathname)?.[1] : undefined;
  if (vimeo) return `https://player.vimeo.com/video/${vimeo}?autoplay=1&dnt=1`;
  return /\.(?:mp4|webm|m4v)$/i.test(pathname) ? address : '';
}

/** What others say of the page in a sentence or two. */
function summaryOf({ profile }: Listing, facts: string): string {
  const text = profile.headline ?? profile.description?.replaceAll(/\s+/g, ' ') ?? '';
  const all = [...[facts, text].filter(Boolean).join('. ')];
  return all.length > DESCRIPTION_MAX
    ? `${all.slice(0, DESCRIPTION_MAX - 1).join('')}…`
    : all.join('');
}

/** The photos side by side, which swipe or scroll. Each leads to its largest file, and a script opens it in place. */
function gallery({ language }: PageContext, animal: Listing): Html {
  const { photos } = animal;
  const t = messagesIn(language);
  const [first] = photos;
  if (first === undefined) {
    return html`<div class="gallery"><div class="photo">${picture(animal, undefined, language, SIZES, 'first')}</div></div>`;
  }
  const slides = photos.map(
    (photo, n) =>
      html`<li id="photo-${n + 1}" class="photo"><a href="/photos/${photoFileNames(photo).full}" data-photo="${n}" data-width="${photo.width}" data-height="${photo.height}" data-label="${t.photo(n + 1, photos.length)}">${picture(animal, photo, language, SIZES, n === 0 ? 'first' : 'lazy')}<span class="visually-hidden">${t.enlarge}</span></a></li>`,
  );
  const words = html` data-previous="${t.previousPhoto}" data-next="${t.nextPhoto}" data-close="${t.close}"`;
  if (photos.length === 1) {
    return html`<div class="gallery"${words}><ul class="slides">${slides}</ul></div>`;
  }
  const thumbs = photos.map((photo, n) => {
    const shown = picture(
      animal,
      { ...photo, alt: t.photo(n + 1, photos.length) },
      language,
      '5rem',
      'soon',
    );
    return html`<li><a href="#photo-${n + 1}">${shown}</a></li>`;
  });
  return html`<div class="gallery"${words}><ul class="slides" tabindex="0" aria-label="${t.photos}">${slides}</ul><ul class="thumbs">${thumbs}</ul></div>`;
}

/** Ways to pass the page on. The button appears where a script can do what it says. */
function sharing(page: PageContext, { pet }: Listing): Html {
  const t = messagesIn(page.language);
  const url = page.root + linkTo(page, animalAddress(pet));
  const mail = `mailto:?subject=${encodeURIComponent(t.mailSubject(pet.name))}&body=${encodeURIComponent(url)}`;
  return html`<p class="share"><button type="button" id="share" class="quiet" data-url="${url}" data-copied="${t.copied}" hidden>${t.share}</button><a href="${mail}">${t.mailShare}</a><a href="${linkTo(page, `/adopt/${pet.id}/card`)}">${t.print}</a></p>`;
}

/** Other animals, with the way to all of them. */
export function others(page: PageContext, animals: readonly Listing[]): Html {
  const t = messagesIn(page.language);
  const seeAll = html`<p><a href="${linkTo(page, '/adopt')}">${t.seeAll}</a></p>`;
  if (animals.length === 0) return seeAll;
  return html`<section class="others"><h2>${t.similar}</h2>${cards(page, animals, false)}${seeAll}</section>`;
}

function dataOf(page: PageContext, animal: Listing, address: string): object[] {
  const { root, language } = page;
  const { pet, profile } = animal;
  const url = root + address;
  const image = shownElsewhere(animal, root);
  const crumb = (position: number, name: string, item: string) => ({
    '@type': 'ListItem',
    ...{ position, name, item },
  });
  return [
    shopData(page),
    {
      '@type': 'WebPage',
      '@id': url,
      url,
      name: pet.name,
      inLanguage: language,
      ...(profile.description && { description: profile.description }),
      ...(image && { primaryImageOfPage: { '@id': `${url}#photo` } }),
      about: { '@id': `${root}/adopt#shop` },
    },
    {
      '@type': 'BreadcrumbList',
      itemListElement: [crumb(1, shopName(page), `${root}/adopt`), crumb(2, pet.name, url)],
    },
    ...(image
      ? [
          {
            '@type': 'ImageObject',
            '@id': `${url}#photo`,
            contentUrl: image.url,
            ...{ width: `${image.width} px`, height: `${image.height} px`, caption: image.alt },
          },
        ]
      : []),
  ];
}
