import { renderSVG } from 'uqr';
import { animalAddress } from '../domain/animal-address.ts';
import type { Listing } from '../domain/listing.ts';
import { factGroups, shortFacts } from './facts.ts';
import { Html, html } from './html.ts';
import { messagesIn } from './languages.ts';
import { type PageContext, paragraphs, shopName, writePage } from './page.ts';
import { picture } from './photos.ts';

/** Writes the card that hangs at a kennel: one sheet of paper, with a code that leads to the page. */
export function renderCard(page: PageContext, animal: Listing): string {
  const { language, at, root } = page;
  const { pet, profile, photos } = animal;
  const t = messagesIn(language);
  const url = root + animalAddress(pet);
  // Without a declaration of its own, it can stand in a page.
  const code = new Html(renderSVG(url, { border: 2 }));
  const main = html`<main class="sheet" id="main">
<div class="photo">${picture(animal, photos[0], language, '40rem', 'first')}</div>
<h1>${pet.name}</h1>
<p class="lead">${shortFacts(profile, at, t)}</p>
${profile.headline && html`<p class="headline">${profile.headline}</p>`}
${factGroups(profile, language, at)}
${profile.description && html`<div class="text">${paragraphs(profile.description)}</div>`}
<footer><div class="code" role="img" aria-label="${url}">${code}</div><div><p>${t.scan}</p><p class="url">${url}</p><p><strong>${shopName(page)}</strong></p></div></footer>
</main>`;
  return writePage(page, {
    title: pet.name,
    address: `/adopt/${pet.id}/card`,
    indexed: false,
    bare: true,
    main,
  });
}
