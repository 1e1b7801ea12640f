import type { Listing } from '../domain/listing.ts';
import { type Photo, photoFileNames } from '../domain/photo.ts';
import { drawingAt, FOCUS_STEPS } from './assets.ts';
import { type Html, html } from './html.ts';
import { type Language, messagesIn } from './languages.ts';

/** How a picture is loaded: the first ones at once, so that nobody waits for them. */
export type Loading = 'first' | 'soon' | 'lazy';

const LOADING: Readonly<Record<Loading, Html>> = {
  first: html` fetchpriority="high"`,
  soon: html``,
  lazy: html` loading="lazy" decoding="async"`,
};

/** The file names of a photo with their widths, each once: a narrow photo has fewer. */
function sourcesOf(photo: Photo): string {
  const { small, medium, large } = photoFileNames(photo);
  const names = [...new Set([small, medium, large])];
  return names.map((name) => `/photos/${name} ${widthOf(name)}w`).join(', ');
}

const widthOf = (name: string) => /-(\d+)\./.exec(name)?.[1];

/** The shape in which most photos are shown. */
const SHAPE = 4 / 3;

/** How wide the file of a photo must be: a wider one than its place is cut, and needs more pixels. */
function sizesOf({ width, height }: Photo, sizes: string): string {
  const factor = Math.round((10 * width) / height / SHAPE) / 10;
  if (factor <= 1) return sizes;
  return sizes.replace(/(\S+)(?=,|$)/g, `calc($1 * ${factor})`);
}

/** The picture of an animal or, if it has no photo, the drawing of its species. */
export function picture(
  { pet, profile }: Pick<Listing, 'pet' | 'profile'>,
  photo: Photo | undefined,
  language: Language,
  sizes: string,
  loading: Loading,
): Html {
  const t = messagesIn(language);
  const [species] = t.species[profile.species ?? 'other'];
  if (photo === undefined) {
    return html`<img class="drawing" src="${drawingAt(profile.species)}" width="320" height="320" alt="${t.drawing(species)}"${LOADING[loading]}>`;
  }
  const { width, height, alt, focus } = photo;
  const step = (part: number) => Math.round(part * FOCUS_STEPS);
  return html`<picture><source type="image/webp" srcset="${sourcesOf(photo)}" sizes="${sizesOf(photo, sizes)}"><img class="x${step(focus.x)} y${step(focus.y)}" src="/photos/${photoFileNames(photo).jpeg}" width="${width}" height="${height}" alt="${alt || t.altOf(pet.name, species)}"${LOADING[loading]}></picture>`;
}

/** Loads the largest picture of a page before its styles arrive. */
export function preload(photo: Photo | undefined, sizes: string): Html | undefined {
  return (
    photo &&
    html`<link rel="preload" as="image" type="image/webp" imagesrcset="${sourcesOf(photo)}" imagesizes="${sizesOf(photo, sizes)}" fetchpriority="high">`
  );
}

/** The JPEG of a photo for other sites, with its size. */
export function shownElsewhere({ photos: [photo], pet }: Listing, root: string) {
  if (photo === undefined) return undefined;
  const name = photoFileNames(photo).jpeg;
  const width = Number(widthOf(name));
  const height = Math.round((photo.height * width) / photo.width);
  return { url: `${root}/photos/${name}`, width, height, alt: photo.alt || pet.name };
}
