import { animalAddress } from '../domain/animal-address.ts';
import type {
  Channel,
  ChannelFile,
  ChannelKind,
  ChannelPhoto,
  LeftOut,
} from '../domain/channel.ts';
import type { Listing, ListingStorage } from '../domain/listing.ts';
import { photoFileNames } from '../domain/photo.ts';
import { ageGroupAt } from '../domain/profile.ts';
import { type FactName, type Facts, FORMATS, type Format, leftOutBecause } from './formats.ts';

/** Animals that are read at once. */
const PAGE = 100;
const ADDRESSES_MAX = 6;
/** A breed that is not known, of a dog that is known to be mixed. */
const MIXED_BREED = 'Mixed Breed';
/** The videos that some places take. */
const YOUTUBE = /^https?:\/\/(?:(?:www|m)\.)?(?:youtube\.com|youtu\.be)\//i;

interface FileParts {
  readonly listings: Pick<ListingStorage, 'list'>;
  /** The public address of the service, without a path. */
  readonly root: string;
  /** That of the public pages; null if they are off. */
  readonly pagesRoot: string | null;
}

/** Makes the file of a channel from the animals that the public sees: from their public fields alone. */
export async function makeFile(
  { kind, accountId, photosAs }: Pick<Channel, 'kind' | 'accountId' | 'photosAs'>,
  parts: FileParts,
  at: number,
): Promise<ChannelFile> {
  const format = FORMATS[kind];
  const lines = [format.columns.map(({ header }) => header).join(',')];
  const leftOut: LeftOut[] = [];
  const photos: ChannelPhoto[] = [];
  for await (const listing of listed(parts.listings, at)) {
    const facts = factsOf(listing, parts, at);
    const uploaded = photosAs === 'uploads' ? photosOf(listing, format) : undefined;
    const inColumns = uploaded?.map(({ name }) => (format.photos.isNamed ? name : ''));
    for (const [n, cell] of (inColumns ?? addressesOf(listing, parts)).entries()) {
      facts[`photo${n + 1}` as FactName] = cell;
    }
    const reason = leftOutBecause(format, facts);
    if (reason === undefined) {
      lines.push(lineOf(facts, format));
      photos.push(...(uploaded ?? []));
    } else leftOut.push({ petId: listing.pet.id, reason });
  }
  const rows = lines.length - 1;
  const text = `${lines.join('\r\n')}\r\n`;
  return { name: fileName(kind, accountId), text, rows, leftOut, photos };
}

/** The name of the file of a channel in its folder. */
export function fileName(kind: ChannelKind, accountId: string | null): string {
  return FORMATS[kind].file ?? `${accountId ?? 'animals'}.csv`;
}

/** All listings, from the newest on. One that is listed meanwhile is in the next file. */
async function* listed(listings: FileParts['listings'], at: number): AsyncGenerator<Listing> {
  let after: Parameters<ListingStorage['list']>[0]['after'];
  const order = { filter: {}, sort: 'newest', limit: PAGE, at, fairDay: 0 } as const;
  do {
    const page = await listings.list({ ...order, after });
    yield* page.items;
    after = page.next;
    // Other requests have their turn: on SQLite, a page is read before anything waits.
    await Bun.sleep(0);
  } while (after !== undefined);
}

/** The photos to upload for an animal. */
function photosOf({ pet, photos }: Listing, { photos: { most } }: Format): ChannelPhoto[] {
  return photos
    .slice(0, most)
    .map((photo, n) => ({ name: `${pet.id}-${n + 1}.jpg`, file: photoFileNames(photo).jpeg }));
}

/** Where the photos of an animal are on this service. */
function addressesOf({ photos }: Listing, { root }: FileParts): string[] {
  return photos
    .slice(0, ADDRESSES_MAX)
    .map((photo) => `${root}/photos/${photoFileNames(photo).jpeg}`);
}

function factsOf({ pet, profile }: Listing, { pagesRoot }: FileParts, at: number): Facts {
  const { fee, colours, headline, description } = profile;
  const own = ['breed', 'secondBreed', 'mixed', 'sex', 'size', 'coat', 'species'] as const;
  const more = ['neutered', 'vaccinated', 'houseTrained', 'specialNeeds', 'energy'] as const;
  const rest = ['specialNeedsNote', 'goodWithDogs', 'goodWithCats', 'goodWithChildren'] as const;
  const dates = ['birthDate', 'inCareSince', 'headline'] as const;
  const facts: Facts = { id: `${pet.id}`, name: pet.name, status: pet.status };
  const set = (name: FactName, value: unknown) => {
    if (value !== null && value !== undefined && value !== '') facts[name] = String(value);
  };
  for (const name of [...own, ...more, ...rest, ...dates]) set(name, profile[name]);
  if (profile.mixed === true && profile.species === 'dog') facts.breed ??= MIXED_BREED;
  set('age', profile.birthDate ? ageGroupAt(profile.birthDate, at) : profile.ageGroup);
  set('description', [headline, description].filter((text) => text !== null).join('\n'));
  set('video', profile.videoUrl);
  set('youtube', YOUTUBE.test(profile.videoUrl ?? '') ? profile.videoUrl : null);
  set('url', pagesRoot && pagesRoot + animalAddress(pet));
  if (fee !== null) {
    set('fee', fee.amount === 0 ? undefined : amountText(fee));
    set('currency', fee.currency);
    set('feeWaived', fee.amount === 0);
    set('feeShown', fee.amount > 0);
  }
  for (const [n, colour] of (colours ?? []).entries()) set(`colour${n + 1}` as FactName, colour);
  return facts;
}

/** An amount in the units of its currency: `120.00`. */
function amountText({ amount, currency }: { amount: number; currency: string }): string {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return (amount / 10 ** digits).toFixed(digits);
}

const TEXTS: readonly FactName[] = ['description', 'headline', 'specialNeedsNote'];

function lineOf(facts: Facts, { columns, lineBreak }: Format): string {
  const cells = columns.map(({ fact, words, only }) => {
    const value = fact && facts[fact];
    if (value === undefined || fact === undefined) return '';
    if (only !== undefined && !only.some((species) => species === facts.species)) return '';
    const told = words === undefined ? value : (words[value] ?? '');
    return TEXTS.includes(fact) ? oneLine(told, lineBreak) : told.replace(/\s+/g, ' ');
  });
  return cells.map(quoted).join(',');
}

/** A text in one line: no place takes a line break in a cell. */
function oneLine(text: string, lineBreak: Format['lineBreak']): string {
  const escaped = lineBreak === ' ' ? text : Bun.escapeHTML(text);
  return escaped.trim().replace(/\s*(?:\r\n|[\n\r\u2028\u2029])\s*/g, lineBreak);
}

function quoted(cell: string): string {
  return /[",\s]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
