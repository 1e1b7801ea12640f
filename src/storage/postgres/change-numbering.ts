import type { NumberingLag } from '../../domain/change-log.ts';
import type { Session } from './connection.ts';
import type { Pool } from './pool.ts';

/** Changes that get their ids in one step: bounds its time to some tens of milliseconds. */
const STEP_MAX = 1_000;
/** The pause between two steps, in milliseconds: under load, one step numbers many changes. */
const PAUSE_MS = 5;
/** The pause while another instance gives ids. */
const BUSY_PAUSE_MS = 25;

/** Numbers the changes of any instance: the function `number_changes` says how. */
export function createChangeNumbering(pool: Pool) {
  const listeners = new Set<() => void>();
  let underWay: Promise<void> | undefined;
  /** Changes were committed after the last step began. */
  let isAwake = false;
  let isEnding = false;

  function tell(): void {
    for (const listener of listeners) listener();
  }

  /** Returns false if another instance is giving ids. */
  async function numberAll(): Promise<boolean> {
    for (;;) {
      const [row] = await pool.write((connection) =>
        connection.commit(() =>
          connection.query<{ moved: bigint | null }>(
            'SELECT number_changes($1) AS moved',
            STEP_MAX,
          ),
        ),
      );
      if (row?.moved == null) return false;
      if (row.moved > 0n) tell();
      if (row.moved < BigInt(STEP_MAX)) return true;
    }
  }

  async function follow(): Promise<void> {
    // Another instance may have numbered changes of this one meanwhile.
    let wasBusy = false;
    while (isAwake) {
      isAwake = false;
      const isBusy = !(await numberAll().catch((error) => {
        isAwake = true;
        throw error;
      }));
      if (isBusy && isEnding) return;
      if (isBusy) isAwake = true;
      else if (wasBusy) tell();
      wasBusy = isBusy;
      await Bun.sleep(isBusy ? BUSY_PAUSE_MS : PAUSE_MS);
    }
  }

  /** Once at a time. Requests report a database that does not respond, and `run` tries again. */
  function followOnce(): void {
    underWay ??= follow().then(
      () => {
        underWay = undefined;
        // Changes may have come since it last checked.
        if (isAwake) followOnce();
      },
      () => {
        underWay = undefined;
      },
    );
  }

  return {
    /** Changes may have been committed: gives them ids soon, then calls the listeners. */
    wake() {
      isAwake = true;
      followOnce();
    },
    /**
     * Gives ids to all changes that are visible now, also those of instances that were killed, unless
     * another instance is doing so.
     */
    async run(): Promise<void> {
      if (isAwake) followOnce();
      await numberAll();
    },
    listen(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Gives ids to the changes that `wake` was called for. Never throws. */
    async end(): Promise<void> {
      isEnding = true;
      await underWay;
    },
  };
}

/** Returns how the numbering of changes keeps up. */
export async function readLag(session: Session): Promise<NumberingLag> {
  const [row] = await session.query<{ waiting: bigint; age: bigint | null }>(
    `SELECT count(*) AS waiting,
       CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) - min(at) AS age
     FROM unnumbered_changes`,
  );
  const { waiting = 0n, age = null } = row ?? {};
  return { waiting: Number(waiting), oldestMs: Math.max(0, Number(age ?? 0n)) };
}
