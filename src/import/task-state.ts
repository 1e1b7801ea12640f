import type { KeyStorage } from '../domain/api-key.ts';
import type { CategoryStorage } from '../domain/category.ts';
import { type Clock, SECOND_MS } from '../domain/clock.ts';
import { Failure, isUnavailable } from '../domain/failure.ts';
import {
  IMPORT_LEASE_MS,
  type ImportRecord,
  type ImportState,
  type ImportStep,
  type ImportStorage,
  NO_ROWS,
} from '../domain/import.ts';
import { requireKeyRight } from '../domain/key-lifecycle.ts';
import type { ImportOutcome, PetStorage } from '../domain/pet.ts';
import type { PhotoStorage } from '../domain/photo.ts';
import { failureReason, KeyRevoked, tooManyNewCategories } from './failure.ts';
import type { PhotoSource } from './take-photos.ts';

/** Tries while the database is unavailable: a failover takes less than half a minute. */
const TRIES = 30;
const RETRY_MS = SECOND_MS;

/** New categories of one import: a wrong column must not fill the shop with thousands. */
const NEW_CATEGORIES_MAX = 1_000;

/** Stops an import that another process has ended, or a reset has removed. */
export class Lost extends Error {}

/** The stored state of an import that this process carries out. */
export type TaskState = ReturnType<typeof createTaskState>;

/** What the state needs. */
export interface TaskStateParts {
  readonly storage: {
    readonly imports: ImportStorage;
    readonly keys: Pick<KeyStorage, 'find'>;
    readonly categories: Pick<CategoryStorage, 'countWith'>;
    readonly pets: Pick<PetStorage, 'findImported' | 'presentImported'>;
    readonly photos: Pick<PhotoStorage, 'add'>;
  };
  /** Where photos come from, for a family of keys. */
  readonly photosFor: (familyId: bigint) => PhotoSource;
  /** The most categories that the shop may have. */
  readonly maxCategories: number;
  readonly clock: Clock;
  readonly owner: string;
  isEnding(): boolean;
  /** Aborted when the process is about to end. */
  readonly ending: AbortSignal;
  /** Reports an error that is no fault of the file. */
  failed(error: unknown): void;
}

/** Creates the state of an import that starts. */
export function createTaskState(
  { id, keyId }: Pick<ImportRecord, 'id' | 'keyId'>,
  { storage: { imports, keys, categories }, maxCategories, clock, owner, isEnding }: TaskStateParts,
) {
  let state: ImportState = {
    status: 'reading',
    endedAt: null,
    rows: NO_ROWS,
    rejectedRows: [],
    failure: null,
    header: null,
  };
  const claim = () => ({ id, owner, leaseEndsAt: clock.now() + IMPORT_LEASE_MS });

  /** Tries again while the database is unavailable. */
  async function withRetry<T>(attempt: () => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried++) {
      try {
        return await attempt();
      } catch (error) {
        if (!isUnavailable(error) || tried === TRIES || isEnding()) throw error;
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  async function requireOwn(write: () => Promise<boolean>): Promise<void> {
    if (!(await withRetry(write))) throw new Lost();
  }

  return {
    get rows() {
      return state.rows;
    },
    /** Changes a part of the state. Throws `Lost` if the import is no longer ours. */
    async save(change: Partial<ImportState>): Promise<void> {
      state = { ...state, ...change };
      await requireOwn(() => imports.save(claim(), state));
    },
    /** Throws `KeyRevoked` if the key that started the import may no longer write. */
    async requireKey(): Promise<void> {
      const key = await withRetry(() => keys.find(keyId));
      await whileAllowed(async () => requireKeyRight(key, 'write', clock.now()));
    },
    /** Throws `ImportFailure` if too many of these categories, by their folded names, would be new. */
    async requireCategories(folded: ReadonlySet<string>): Promise<void> {
      if (folded.size === 0) return;
      const { existing, added } = await withRetry(() => categories.countWith([...folded]));
      const most = Math.min(NEW_CATEGORIES_MAX, Math.max(0, maxCategories - existing));
      if (added > most) throw tooManyNewCategories(most);
    },
    /** Imports a batch, and returns the ids of its animals. Throws `Lost` and `KeyRevoked` too. */
    async write(
      step: Omit<ImportStep, 'id' | 'owner' | 'leaseEndsAt'>,
    ): Promise<ImportOutcome['ids']> {
      const ids = await whileAllowed(() =>
        withRetry(() => imports.importBatch({ ...claim(), ...step })),
      );
      if (ids === undefined) throw new Lost();
      state = { ...state, rows: step.rows };
      return ids;
    },
  };
}

/** Throws `KeyRevoked` in place of the failures of a key that may no longer write. */
async function whileAllowed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isRight = error instanceof Failure && REVOKED.has(error.code);
    throw isRight ? new KeyRevoked() : error;
  }
}

const REVOKED: ReadonlySet<string> = new Set(['invalid_api_key', 'insufficient_scope']);

/** Ends an import with the error that it met. Never throws: the import says how it ended. */
export async function failTask(
  error: unknown,
  state: TaskState,
  { clock, failed }: TaskStateParts,
): Promise<void> {
  if (error instanceof Lost) return;
  const failure = failureReason(error);
  if (failure.code === 'internal_error') failed(error);
  try {
    await state.save({ status: 'failed', endedAt: clock.now(), failure });
  } catch (unsaved) {
    // Its lease ends, and then it is reported as interrupted.
    if (!(unsaved instanceof Lost)) failed(unsaved);
  }
}
