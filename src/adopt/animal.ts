import { animalAddress } from '../domain/animal-address.ts';
import type { Listing } from '../domain/listing.ts';
import { cards } from './cards.ts';
import { factGroups, shortFacts, waitOf } from './facts.ts';
import { type Html, html } from './html.ts';
import { messagesIn } from './languages.ts';
import {
  ADOPT_SCRIPT,
  linkTo,
  mailAddress,
  type PageContext,
  paragraphs,
  shopData,
  shopName,
  writePage,
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
  const main = html`<nav class="crumbs" aria-label="${t.animals}"><a href="${linkTo(page, '/adopt')}">${t.animals}</a> › ${pet.name}</nav>
<article class="animal">
${gallery(page, animal)}
<div class="told">
<h1>${pet.name}</h1>
<p class="lead">${facts}</p>
${pet.status === 'pending' && html`<p class="notice"><strong>${t.reserved}.</strong> ${t.reservedLead(pet.name)}</p>`}
${profile.headline && html`<p class="headline">${profile.headline}</p>`}
${wait && html`<p class="wait">${wait}</p>`}
${ask && html`<p><a class="button" href="${ask}">${t.adopt(pet.name)}</a><small>${t.adoptLead}</small></p>`}
${profile.description && html`<section class="text"><h2>${t.aboutName(pet.name)}</h2>${paragraphs(profile.description)}</section>`}
${profile.videoUrl && html`<p><a href="${profile.videoUrl}" rel="noopener">${t.video}</a></p>`}
${factGroups(profile, language, at)}
${shop.howToAdopt && html`<section class="text"><h2>${t.howToAdopt}</h2>${paragraphs(shop.howToAdopt)}</section>`}
${sharing(page, animal)}
</div></article>
${others(page, similar)}`;
  return writePage(page, {
    title: pet.name,
    description: summaryOf(animal, facts),
    address,
    image: shownElsewhere(animal, root),
    head: html`${preload(animal.photos[0], SIZES)}${ADOPT_SCRIPT}`,
    data: dataOf(page, animal, address),
    main,
  });
}

/** What others say of the page in a sentence or two. */
function summaryOf({ profile }: Listing, facts: string): string {
  const text = profile.headline ?? profile.description?.replaceAll(/\s+/g, ' ') ?? '';
  const all = [...[facts, text].filter(Boolean).join('. ')];
  return all.length > DESCRIPTION_MAX
    ? `${all.slice(0, DESCRIPTION_MAX - 1).join('')}…`
    : all.join('');
}

/** The photos side by side, which swipe or scroll; without script too. */
function gallery({ language }: PageContext, animal: Listing): Html {
  const { photos } = animal;
  const t = messagesIn(language);
  if (photos.length < 2) {
    return html`<div class="gallery"><div class="photo">${picture(animal, photos[0], language, SIZES, 'first')}</div></div>`;
  }
  const slides = photos.map(
    (photo, n) =>
      html`<li id="photo-${n + 1}" class="photo">${picture(animal, photo, language, SIZES, n === 0 ? 'first' : 'lazy')}</li>`,
  );
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
  return html`<div class="gallery"><ul class="slides" tabindex="0" aria-label="${t.photos}">${slides}</ul><ul class="thumbs">${thumbs}</ul></div>`;
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
            ...{ width: image.width, height: image.height, caption: image.alt },
          },
        ]
      : []),
  ];
}
