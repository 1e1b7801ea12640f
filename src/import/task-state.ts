import { type Clock, SECOND_MS } from '../domain/clock.ts';
import { isUnavailable } from '../domain/failure.ts';
import {
  IMPORT_LEASE_MS,
  type ImportState,
  type ImportStep,
  type ImportStorage,
  NO_ROWS,
} from '../domain/import.ts';
import type { MaybePromise } from '../domain/maybe-promise.ts';

/** Tries while the database is unavailable: a failover takes less than half a minute. */
const TRIES = 30;
const RETRY_MS = SECOND_MS;

/** Stops an import that another process has ended, or a reset has removed. */
export class Lost extends Error {}

/** The stored state of an import that this process carries out. */
export interface TaskState {
  readonly rows: ImportState['rows'];
  /** Changes a part of the state. Throws `Lost` if the import is no longer ours. */
  save(change: Partial<ImportState>): Promise<void>;
  /** Imports a batch. Throws `Lost` too. */
  write(step: Omit<ImportStep, 'id' | 'owner' | 'leaseEndsAt'>): Promise<void>;
}

/** What the state needs. */
export interface TaskStateParts {
  readonly imports: ImportStorage;
  readonly clock: Clock;
  readonly owner: string;
  isEnding(): boolean;
}

/** Creates the state of an import that starts. */
export function createTaskState(
  id: bigint,
  { imports, clock, owner, isEnding }: TaskStateParts,
): TaskState {
  let state: ImportState = {
    ...{ status: 'reading', endedAt: null, rows: NO_ROWS, rejectedRows: [], failure: null },
  };
  const claim = () => ({ id, owner, leaseEndsAt: clock.now() + IMPORT_LEASE_MS });

  /** Tries again while the database is unavailable. */
  async function patiently(write: () => MaybePromise<boolean>): Promise<void> {
    for (let tried = 1; ; tried++) {
      try {
        if (await write()) return;
        throw new Lost();
      } catch (error) {
        if (!isUnavailable(error) || tried === TRIES || isEnding()) throw error;
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  return {
    get rows() {
      return state.rows;
    },
    async save(change) {
      state = { ...state, ...change };
      await patiently(() => imports.save(claim(), state));
    },
    async write(step) {
      await patiently(() => imports.importBatch({ ...claim(), ...step }));
      state = { ...state, rows: step.rows };
    },
  };
}
