import anyAscii from 'any-ascii';
import { foldName } from './name.ts';
import type { Pet } from './pet.ts';

const SLUG_MAX = 60;
/** The other pages of an animal, whose names a slug must not be. */
const OTHER_PAGES = /^(?:card|enquiry|thanks)$/;

/** Returns a name as an address shows it: in Latin letters and digits, or `animal` if it has none. */
function slugOf(name: string): string {
  const words = foldName(anyAscii(foldName(name))).replaceAll(/[^a-z0-9]+/g, '-');
  const slug = words.slice(0, SLUG_MAX).replaceAll(/^-+|-+$/g, '') || 'animal';
  return OTHER_PAGES.test(slug) ? `animal-${slug}` : slug;
}

/** Returns the path of the public page of an animal. */
export function animalAddress({ id, name }: Pick<Pet, 'id' | 'name'>): string {
  return `/adopt/${id}/${slugOf(name)}`;
}
