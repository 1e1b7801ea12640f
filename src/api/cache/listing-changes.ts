import type { Change } from '../../domain/change-log.ts';
import { isListed, placeOf, turnOf } from '../../domain/listing.ts';
import type { Pet } from '../../domain/pet.ts';
import { EMPTY_PROFILE, isPublicField, type Profile } from '../../domain/profile.ts';
import type { ListingDependency, OtherListings } from '../contract/dependency.ts';

/** What a change of an animal tells about its listing. */
export interface ListingChange {
  readonly petId: number;
  /** The changed fields that the public sees; undefined if they are not known. */
  readonly fields: readonly string[] | undefined;
  /** Whether the animal may have been listed before the change, and may be after it. */
  readonly before: boolean;
  readonly after: boolean;
}

/** A profile with which an animal is listed. */
const LISTED: Profile = { ...EMPTY_PROFILE, published: true, species: 'other' };

/** The fields that a change changed, with their values before and after it. */
type Changed = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

/**
 * Returns what a change tells about a listing; undefined if it alters none. A change of a profile does not
 * tell the status of the animal, and the other way round: what is not told may be as a listing needs it.
 */
export function listingChangeOf(change: Change, text: string | null): ListingChange | undefined {
  const changed: Changed | undefined = text === null ? undefined : JSON.parse(text);
  if ('pet' in change) return ofPet(change.type, change.pet, changed);
  if (!('part' in change) || change.part.petId === null) return undefined;
  const { type, part } = change;
  const petId = Number(part.petId);
  if (type === 'profile.updated') return ofProfile(petId, JSON.parse(part.data), changed);
  return type.startsWith('photo.')
    ? { petId, fields: ['photos'], before: true, after: true }
    : undefined;
}

function ofPet(
  type: Change['type'],
  pet: Pet,
  changed: Changed | undefined,
): ListingChange | undefined {
  // It has no profile yet.
  if (type === 'pet.created') return undefined;
  const old = { ...pet, ...beforeOf(changed) };
  return {
    petId: Number(pet.id),
    fields: type === 'pet.updated' ? changed && Object.keys(changed) : [],
    before: type !== 'pet.restored' && isListed(old, LISTED),
    after: type !== 'pet.deleted' && isListed(pet, LISTED),
  };
}

function ofProfile(
  petId: number,
  known: object,
  changed: Changed | undefined,
): ListingChange | undefined {
  const care = (changed?.['care']?.[1] ?? null) as Profile['care'];
  const profile: Profile = { ...EMPTY_PROFILE, ...known, care };
  const old: Profile = { ...profile, ...beforeOf(changed) };
  const before = isListed({ status: 'available' }, old);
  const after = isListed({ status: 'available' }, profile);
  const fields = changed && Object.keys(changed).filter(isPublicField);
  const isShown = fields === undefined || before !== after || (after && fields.length > 0);
  return isShown ? { petId, fields, before, after } : undefined;
}

/** The values before a change. */
function beforeOf(changed: Changed = {}): object {
  return Object.fromEntries(Object.entries(changed).map(([name, [before]]) => [name, before]));
}

/** Returns whether a change may alter a response. */
export function mayAlter(
  { petId, fields, before, after }: ListingChange,
  { ids, others }: ListingDependency,
): boolean {
  if (ids.includes(petId)) return true;
  if (others === undefined || isBehind(petId, others)) return false;
  if (fields === undefined || (after && !before)) return true;
  const { counted } = others;
  if (!before || counted?.listed?.includes(petId) === false) return false;
  return after ? others.fields.some((field) => fields.includes(field)) : counted !== undefined;
}

function isBehind(petId: number, { upTo }: OtherListings): boolean {
  if (upTo === undefined) return false;
  const { place, day } = upTo;
  return turnOf(placeOf(BigInt(petId)), day) > turnOf(place, day);
}
