import { animalAddress } from '../domain/animal-address.ts';
import type { Listing } from '../domain/listing.ts';
import { shortFacts, signs, waitOf } from './facts.ts';
import { type Html, html } from './html.ts';
import { messagesIn } from './languages.ts';
import { linkTo, type PageContext, written } from './page.ts';
import { picture } from './photos.ts';

/** How wide the picture of a card is. */
export const CARD_SIZES =
  '(min-width: 60rem) 16rem, (min-width: 48rem) 31vw, (min-width: 30rem) 46vw, 92vw';
/** The first cards are in sight at once. */
const IN_SIGHT = 2;

/** The cards of animals. `isFirst` if they start the page. */
export function cards(page: PageContext, animals: readonly Listing[], isFirst: boolean): Html {
  return html`<ul class="cards">${animals.map((animal, n) => card(page, animal, isFirst ? n : IN_SIGHT, isFirst))}</ul>`;
}

function card(page: PageContext, animal: Listing, place: number, isFirst: boolean): Html {
  const { pet, profile, photos } = animal;
  const { language, at } = page;
  const t = messagesIn(language);
  const wait = waitOf(profile, at, t);
  const loading = place === 0 ? 'first' : place < IN_SIGHT ? 'soon' : 'lazy';
  const link = html`<a href="${linkTo(page, animalAddress(pet))}">${pet.name}</a>`;
  return html`<li class="card">
<div class="photo">${picture(animal, photos[0], language, CARD_SIZES, loading)}${pet.status === 'pending' && html`<span class="badge">${t.reserved}</span>`}</div>
${isFirst ? html`<h2>${link}</h2>` : html`<h3>${link}</h3>`}
<p>${shortFacts(profile, at, t)}</p>${signs(profile, t)}${profile.headline && html`<p class="headline"${written(page)}>${profile.headline}</p>`}${wait && html`<p class="wait">${wait}</p>`}</li>
`;
}
