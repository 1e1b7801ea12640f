import { animalAddress } from '../domain/animal-address.ts';
import { dayOf } from '../domain/clock.ts';
import { int64FromText } from '../domain/int64.ts';
import { isListed, type Listing } from '../domain/listing.ts';
import type { Records } from '../domain/records.ts';
import type { TextResponse } from '../http/response.ts';
import { renderAnimal } from './animal.ts';
import { renderGoodbye, renderNotice } from './notices.ts';
import { linkTo, type PageContext } from './page.ts';
import { movedTo, type PageAsk, type PageSources, pageResponse, some } from './served.ts';

const ANIMAL = /^\/adopt\/(\d{1,19})(?:\/([^/]*))?$/;

/** How long a page says that an animal has found a home. */
const GOODBYE_DAYS = 90;

/** Returns a page of one animal; undefined for another path, or an animal that nobody may see. */
export async function animalPage(
  sources: PageSources,
  page: PageContext,
  { path }: PageAsk,
): Promise<TextResponse | undefined> {
  const [, number = '', slug] = ANIMAL.exec(path) ?? [];
  const id = int64FromText(number);
  const animal = id === undefined ? undefined : await sources.storage.listings.find(id);
  if (animal === undefined) return undefined;
  return isListed(animal.pet, animal.profile)
    ? await shown(sources, page, animal, slug)
    : await goodbye(sources, page, animal);
}

/** The card to print, the page of the animal at its own address, or the way to that. */
async function shown(
  { storage, takesEnquiries }: PageSources,
  page: PageContext,
  animal: Listing,
  slug: string | undefined,
): Promise<TextResponse> {
  const { pet } = animal;
  if (slug === 'card') {
    const { renderCard } = await import('./kennel-card.ts');
    return pageResponse(renderCard(page, animal));
  }
  const address = animalAddress(pet);
  if (address !== `/adopt/${pet.id}/${slug}`) {
    return movedTo(linkTo(page, address));
  }
  const others = await some(storage, page.at, animal);
  const text = renderAnimal(page, animal, others, takesEnquiries);
  return pageResponse(text);
}

/**
 * Says that an animal has found a home: one that was for adoption before, and that the staff still show.
 * Undefined for any other.
 */
async function goodbye(
  { storage }: PageSources,
  page: PageContext,
  { pet, profile }: Listing,
): Promise<TextResponse | undefined> {
  if (pet.status !== 'sold' || !isListed({ status: 'available' }, profile)) return undefined;
  const adoptedOn = await adoptionOf(storage, pet.id);
  if (adoptedOn === undefined) return undefined;
  const others = await some(storage, page.at, { pet, profile });
  // In days, as what is cached stays for one.
  const isRecent = dayOf(page.at) - dayOf(Date.parse(adoptedOn)) < GOODBYE_DAYS;
  return isRecent
    ? pageResponse(
        renderGoodbye(
          page,
          pet,
          profile.species === null ? '' : `species=${profile.species}`,
          others,
        ),
      )
    : pageResponse(renderNotice(page, 'gone', others), 410);
}

/**
 * Returns the date on which an animal was adopted; undefined unless it was, from here. Its newest stay says so, which
 * outlives a removal.
 */
async function adoptionOf(
  { stays, pets }: Pick<Records, 'stays' | 'pets'>,
  id: bigint,
): Promise<string | undefined> {
  const newest = (await stays.list(id))?.at(-1);
  if (newest?.outcomeType !== 'adopted') return undefined;
  // One that was added as adopted has never been for adoption here.
  return (await pets.wasOffered(id)) === false ? undefined : (newest.outcomeDate ?? undefined);
}
