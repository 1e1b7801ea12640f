import {
  type ImportPolicy,
  type ProfilePart,
  type StayPart,
  UNREAD_MAX,
  type UnreadValues,
} from '../domain/import.ts';
import type { BroughtPet, ImportedPet, PetStorage } from '../domain/pet.ts';
import type { ProfileChange } from '../domain/profile.ts';
import type { ImportedOutcome } from '../domain/stay-types.ts';
import { type Departure, readAnimal } from './animal-reader.ts';
import type { CheckedRows } from './check-rows.ts';
import { shortened } from './failure.ts';
import { photosIn } from './photo-addresses.ts';
import { reasonUnread } from './profile-values.ts';
import { Rejection, type Row } from './row-source.ts';

/** Animals to write in one transaction. */
export interface Batch {
  /** The line of its first row. */
  readonly line: number;
  /** Rows of the file up to its end, those without an animal included. */
  readonly rows: number;
  readonly animals: readonly ImportedPet[];
  /** Values up to its end that fit nothing. */
  readonly unread: readonly UnreadValues[];
  /** Animals up to its end that are here and left, and those left out because they left before. */
  readonly left: number;
  readonly leftBefore: number;
  readonly missing: MissingAnimals;
}

/** How to divide a file. */
interface BatchRules {
  /** Animals in a batch; one with a long profile counts for several. */
  readonly size: number;
  /** Gets each row that cannot become an animal, with the reason. */
  readonly rejected?: (row: Row, reason: string) => void;
  readonly policy: ImportPolicy;
}

/** Reads the animals of a checked file in batches, and then those that are missing from it, as they are to become. */
export async function* batchesOf(
  checked: CheckedRows,
  pets: Imported,
  { size, rejected, policy }: BatchRules,
): AsyncGenerator<Batch> {
  const { withHistory } = policy;
  const here = await findBrought(checked.departures.keys(), pets);
  const missing = await findMissing(checked, pets, policy);
  let animals: ImportedPet[] = [];
  const unread = createUnreadTally();
  let weight = 0;
  let line = 0;
  let rows = 0;
  const counts = { left: 0, leftBefore: 0 };
  const batch = () => ({ line, rows, animals, unread: unread.counts(), ...counts, missing });

  function animalIn(row: Row): ImportedPet | undefined {
    const read = readAnimal(row, checked.read);
    if (read instanceof Rejection) {
      rejected?.(row, read.message);
      return undefined;
    }
    const { externalId, animal, left, problem } = read;
    // A newer row has the same external id.
    if (externalId !== undefined && checked.lineOf.get(externalId) !== row.line) return undefined;
    for (const [part, text] of read.stay?.unread ?? []) unread.add(part, text);
    if (left === undefined) {
      const profile = checked.profiles.read(row, unread.add);
      const photos = photosIn(row, checked.recognised.photos);
      return animal && { ...animal, profile, stays: checked.staysOf(read) ?? animal.stays, photos };
    }
    const pet = externalId === undefined ? undefined : here.get(externalId);
    if (pet === undefined && (animal === undefined || !withHistory)) {
      if (problem !== undefined && withHistory) rejected?.(row, problem.message);
      // Rows that are left out as asked are counted as that.
      else if (animal !== undefined || problem !== undefined) counts.leftBefore++;
      return undefined;
    }
    counts.left += pet === undefined || pet.status === 'sold' ? 0 : 1;
    if (pet !== undefined) return { ...asHere(pet), status: 'sold', outcome: outcomeOf(left) };
    const profile = { ...checked.profiles.read(row, unread.add), published: false };
    return animal && { ...animal, profile, stays: checked.staysOf(read) };
  }

  for await (const row of checked.source.rows()) {
    rows++;
    const animal = animalIn(row);
    if (animal === undefined) continue;
    if (animals.length === 0) line = row.line;
    animals.push(animal);
    weight += weightOf(animal.profile);
    if (weight < size) continue;
    yield batch();
    animals = [];
    weight = 0;
  }
  // The last one may be empty, but it has the final counts.
  yield batch();
  line = rows;
  for (let start = 0; start < missing.changes.length; start += size) {
    animals = missing.changes.slice(start, start + size);
    yield batch();
  }
}

/** An animal as it is here. */
function asHere({ name, categoryId, status, externalId }: BroughtPet): ImportedPet {
  return { name, category: { id: categoryId }, status, externalId };
}

function outcomeOf({ type = 'other', date }: Departure): ImportedOutcome {
  return { type, date };
}

/** Characters of a profile that take as long to write as another animal. */
const CHARACTERS_LIKE_ONE = 500;

/** Weighs an animal, so that the requests that wait for a batch never wait long. */
function weightOf(profile: ProfileChange = {}): number {
  const characters = Object.values(profile).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  );
  return 1 + Math.floor(characters / CHARACTERS_LIKE_ONE);
}

/** Values of each part that are listed. */
const EXAMPLES_MAX = 3;

/** Counts values that fit nothing. */
function createUnreadTally() {
  const found = new Map<
    ProfilePart | StayPart,
    { rows: number; examples: string[]; reason?: string | undefined }
  >();
  return {
    add(part: ProfilePart | StayPart, text: string): void {
      const of = found.getOrInsertComputed(part, () => ({
        rows: 0,
        examples: [],
        reason: reasonUnread(part, text),
      }));
      of.rows++;
      if (of.examples.length === EXAMPLES_MAX) return;
      const example = shortened(text.trim(), UNREAD_MAX);
      if (!of.examples.includes(example)) of.examples.push(example);
    },
    counts: (): readonly UnreadValues[] =>
      [...found].map(([part, { rows, examples, reason }]) => ({
        ...{ part, rows, examples: [...examples], example: examples[0] ?? '' },
        ...(reason !== undefined && { reason }),
      })),
  };
}

/** Animals in one query. */
const BATCH = 1_000;

type Imported = Pick<PetStorage, 'findImported' | 'presentImported'>;

/** Finds the animals that imports brought under these external ids. */
export async function findBrought(
  externalIds: Iterable<string>,
  pets: Imported,
): Promise<ReadonlyMap<string, BroughtPet>> {
  const all = [...externalIds];
  const found = new Map<string, BroughtPet>();
  for (let start = 0; start < all.length; start += BATCH) {
    for (const pet of await pets.findImported(all.slice(start, start + BATCH))) {
      found.set(pet.externalId, pet);
    }
  }
  return found;
}

/** Animals of earlier imports that are present here and missing from a file. */
export interface MissingAnimals {
  readonly present: number;
  readonly missing: readonly BroughtPet[];
  /** Nothing is done about them: they are too many, or the file is empty. */
  readonly isHeld: boolean;
  /** What to import for them. */
  readonly changes: readonly ImportedPet[];
}

/** Finds out who is missing from a file, and what to do about it. */
async function findMissing(
  { repeatable, seen, rows }: CheckedRows,
  pets: Imported,
  { missing: choice, missingMost }: ImportPolicy,
): Promise<MissingAnimals> {
  const missing: BroughtPet[] = [];
  let present = 0;
  let after = 0n;
  while (repeatable) {
    const page = await pets.presentImported(after, BATCH);
    present += page.length;
    missing.push(...page.filter(({ externalId }) => !seen.has(externalId)));
    if (page.length < BATCH) break;
    after = page.at(-1)?.id ?? after;
  }
  const isHeld = rows === 0 || missing.length * 100 > missingMost * present;
  if (choice === 'keep' || isHeld) return { present, missing, isHeld, changes: [] };
  const changes = missing.map((pet) => {
    if (choice === 'unpublish') return { ...asHere(pet), profile: { published: false } };
    const outcome = { type: 'other', date: undefined } as const;
    return { ...asHere(pet), status: 'sold' as const, outcome };
  });
  return { present, missing, isHeld, changes };
}
