import fc from 'fast-check';
import type { PortableDatabase } from '../../src/storage/portable-database.ts';
import { copiedTables } from '../../src/storage/tables.ts';
import { type MoveOutcome, moveDatabase } from '../../src/storage/transfer/move.ts';
import { openSource, openTarget } from '../../src/storage/transfer/open-portable.ts';
import type { TestDatabase, TestEngine } from '../support/engines.ts';
import { arbitraryContent } from './arbitrary-content.ts';
import { type Content, EMPTY, UNWATCHED } from './content.ts';

/** Two databases of their own engines, both empty. */
export interface Pair extends AsyncDisposable {
  readonly source: TestDatabase;
  readonly target: TestDatabase;
}

export async function createPair(from: TestEngine, to: TestEngine): Promise<Pair> {
  const source = await from.createDatabase();
  const target = await to.createDatabase();
  return {
    source,
    target,
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await target[Symbol.asyncDispose]();
    },
  };
}

/** When every move of these tests is. */
const NOW = Date.UTC(2027, 0, 15, 12);

/** Two databases. */
export interface Between {
  readonly source: Pick<TestDatabase, 'address'>;
  readonly target: Pick<TestDatabase, 'address'>;
}

/** Changes a shop that is opened, for a test to have it fail. */
export type Twist = (database: PortableDatabase) => PortableDatabase;

/** What a test does to a move. */
export interface MoveTwists {
  readonly source?: Twist;
  readonly target?: Twist;
  readonly isInterrupted?: () => boolean;
}

/** Moves the shop of a pair. */
export async function move(
  { source, target }: Between,
  twists: MoveTwists = {},
): Promise<MoveOutcome> {
  const { isInterrupted = () => false } = twists;
  const plain = await openSource(source.address);
  const from = twists.source?.(plain) ?? plain;
  const openTo = async () => {
    const to = await openTarget(target.address, from.environment);
    return twists.target?.(to) ?? to;
  };
  try {
    const progress = { ...UNWATCHED, isInterrupted };
    return await moveDatabase(from, openTo, { now: NOW, progress });
  } finally {
    await plain.close();
  }
}

/** A shop with rows in every table. */
export const some = (): Content =>
  withFiles(fc.sample(arbitraryContent, { numRuns: 20, seed: 7 }).at(-1) ?? EMPTY);

/** The greatest widths of the files of a photo. */
const WIDTHS = [320n, 640n, 1280n, 2_147_483_647n];
const PHOTO_COLUMNS = Object.keys(
  copiedTables().find(({ name }) => name === 'photos')?.columns ?? {},
);

/** Adds the files of the photos: a backup of a shop without them is of a damaged one. */
function withFiles({ rows, lastIds }: Content): Content {
  const files = new Map((rows['photo_files'] ?? []).map((row) => [String(row[0]), row]));
  for (const photo of rows['photos'] ?? []) {
    const width = photo[PHOTO_COLUMNS.indexOf('width')] as bigint;
    const hash = photo[PHOTO_COLUMNS.indexOf('sha256')];
    for (const most of WIDTHS) {
      for (const kind of ['webp', 'jpg']) {
        const name = `${hash}-${width < most ? width : most}.${kind}`;
        files.set(name, [name, 0n, null]);
      }
    }
  }
  const sorted = [...files.values()].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return { rows: { ...rows, photo_files: sorted }, lastIds };
}
