import { renderSVG } from 'uqr';
import { animalAddress } from '../domain/animal-address.ts';
import type { Listing } from '../domain/listing.ts';
import { factGroups, shortFacts, signs } from './facts.ts';
import { Html, html } from './html.ts';
import { messagesIn } from './languages.ts';
import { type PageContext, paragraphs, shopName, writePage, written } from './page.ts';
import { picture } from './photos.ts';

/** What fits one sheet beside the photo and the facts. The code leads to the rest. */
const TEXT_MAX = 650;
const NOTE_MAX = 120;

/** Returns the first words of a text. */
function shortened(text: string, most: number): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const start = letters.slice(0, most).join('');
  return `${start.slice(0, Math.max(start.lastIndexOf(' '), most / 2))} …`;
}

/** Writes the card that hangs at a kennel: one sheet of paper, with a code that leads to the page. */
export function renderCard(page: PageContext, animal: Listing): string {
  const { language, at, root } = page;
  const { pet, profile, photos } = animal;
  const t = messagesIn(language);
  const url = root + animalAddress(pet);
  // Without a declaration of its own, it can stand in a page.
  const { specialNeedsNote: note } = profile;
  const known = { ...profile, specialNeedsNote: note && shortened(note, NOTE_MAX) };
  const code = new Html(renderSVG(url, { border: 2 }));
  const main = html`<main class="sheet" id="main">
<div class="photo">${picture(animal, photos[0], language, '40rem', 'first')}</div>
<h1>${pet.name}</h1>
<p class="lead">${shortFacts(profile, at, t)}</p>
${profile.headline && html`<p class="headline"${written(page)}>${profile.headline}</p>`}
${signs(profile, t)}
${factGroups(known, page)}
${profile.description && html`<div class="text"${written(page)}>${paragraphs(shortened(profile.description, TEXT_MAX))}</div>`}
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
