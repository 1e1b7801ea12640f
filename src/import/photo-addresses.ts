import { lastStep, lettersOf } from './headers.ts';
import type { Row } from './row-source.ts';

const ADDRESS = /https?:\/\/[^\s,;"'<>\])]+/g;
/** Photos of one animal that an import takes. */
export const PHOTOS_MAX = 6;
const CELL_MAX = 20_000;

/** Returns whether a text is one address of a picture, or a list of them. */
function isPhotoList(text: string): boolean {
  const start = text.slice(0, 200);
  // Airtable writes the name of a file before its address.
  return /^\s*(?:[[{"']*\s*(?:[a-z0-9_"']+\s*:\s*"?)?|[^(),]{1,150} \()https?:\/\//i.test(start);
}

/** Returns whether a text is an address that ends like that of a picture. */
function isPictureAddress(text: string): boolean {
  return /^https?:\/\/[^\s,;]+\.(?:jpe?g|png|webp)(?:\?[^\s,;]*)?$/i.test(text.slice(0, 2_000));
}

/** Returns the addresses in a cell: of objects with sizes, such as Petfinder's, the largest. */
function photoAddresses(text: string): readonly string[] {
  const cell = text.slice(0, CELL_MAX);
  if (!/^\s*[[{]/.test(cell)) return [...new Set(cell.match(ADDRESS) ?? [])].slice(0, PHOTOS_MAX);
  try {
    const value: unknown = JSON.parse(cell);
    const list: unknown[] = Array.isArray(value) ? value : [value];
    return [...new Set(list.flatMap((one) => largest(one) ?? []))].slice(0, PHOTOS_MAX);
  } catch {
    return [];
  }
}

const SIZES = ['urlSecureFullsize', 'full', 'original', 'large', 'url', 'medium', 'small'];

function largest(photo: unknown): string | undefined {
  if (typeof photo === 'string') return /^https?:\/\//.test(photo) ? photo : undefined;
  if (typeof photo !== 'object' || photo === null) return undefined;
  const sizes = new Map<string, unknown>(Object.entries(photo));
  return SIZES.map((size) => sizes.get(size)).find((one) => typeof one === 'string');
}

/** Returns the addresses in the columns of photos of a row. */
export function photosIn(row: Row, columns: readonly string[]): readonly string[] | undefined {
  if (columns.length === 0) return undefined;
  const all = columns.flatMap((column) => photoAddresses(row.text(column)));
  return [...new Set(all)].slice(0, PHOTOS_MAX);
}

/** Columns of pictures, whatever they are called. */
const areAddresses = (values: readonly string[]) =>
  values.length > 0 && values.every(isPictureAddress);
const PHOTO =
  /^(?:photos?|photourls?|images?|imageurls?|pic|pictures?|animalimage|websiteimageurl|foto)$/;

/** Returns those of these columns that have addresses of photos: they are called so, or all of their values say it. */
export function photoColumnsAmong(
  columns: readonly string[],
  sample: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return columns.filter((column) => {
    const values = (sample.get(column) ?? []).filter((value) => value !== '[]');
    if (values.length === 0) return false;
    const isCalledSo = PHOTO.test(lettersOf(lastStep(column)).replace(/\d+$/, ''));
    if (isCalledSo) return values.filter(isPhotoList).length * 2 >= values.length;
    // Each size of an object of sizes is a column too.
    return areAddresses(values) && !column.includes('.');
  });
}
