import { type ProfilePart, UNREAD_MAX, type UnreadValues } from '../domain/import.ts';
import type { ImportedPet } from '../domain/pet.ts';
import type { ProfileChange } from '../domain/profile.ts';
import { readAnimal } from './animal-reader.ts';
import type { CheckedRows } from './check-rows.ts';
import { shortened } from './failure.ts';
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
}

/** How to divide a file. */
interface BatchRules {
  /** Animals in a batch; one with a long profile counts for several. */
  readonly size: number;
  /** Gets each row that cannot become an animal, with the reason. */
  readonly rejected?: (row: Row, reason: string) => void;
}

/** Reads the animals of a checked file in batches. */
export async function* batchesOf(
  checked: CheckedRows,
  { size, rejected }: BatchRules,
): AsyncGenerator<Batch> {
  let animals: ImportedPet[] = [];
  const unread = createUnreadTally();
  let weight = 0;
  let line = 0;
  let rows = 0;
  for await (const row of checked.source.rows()) {
    rows++;
    const animal = readAnimal(row, checked.read);
    if (animal instanceof Rejection) {
      rejected?.(row, animal.message);
      continue;
    }
    if (animal.status === 'skip' || isRepeated(animal, row, checked)) continue;
    if (animals.length === 0) line = row.line;
    const profile = checked.profiles.read(row, unread.add);
    animals.push({ ...animal, profile });
    weight += weightOf(profile);
    if (weight < size) continue;
    yield { line, rows, animals, unread: unread.counts() };
    animals = [];
    weight = 0;
  }
  if (animals.length > 0) yield { line, rows, animals, unread: unread.counts() };
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

/** Counts values that fit nothing. */
function createUnreadTally() {
  const found = new Map<ProfilePart, UnreadValues>();
  return {
    add(part: ProfilePart, text: string): void {
      const { rows = 0, example = shortened(text.trim(), UNREAD_MAX) } = found.get(part) ?? {};
      found.set(part, { part, rows: rows + 1, example });
    },
    counts: (): readonly UnreadValues[] => [...found.values()],
  };
}

/** A later row has the same external id. */
function isRepeated({ externalId }: ImportedPet, row: Row, { lineOf }: CheckedRows): boolean {
  return externalId !== undefined && lineOf.get(externalId) !== row.line;
}
