import { type ProfilePart, UNREAD_MAX, type UnreadValues } from '../domain/import.ts';
import type { ImportedPet } from '../domain/pet.ts';
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
  /** Animals in a batch. */
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
    animals.push({ ...animal, profile: checked.profiles.read(row, unread.add) });
    if (animals.length < size) continue;
    yield { line, rows, animals, unread: unread.counts() };
    animals = [];
  }
  if (animals.length > 0) yield { line, rows, animals, unread: unread.counts() };
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
