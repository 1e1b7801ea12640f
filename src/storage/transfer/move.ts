import { type Fence, fenceProblem } from '../fence.ts';
import { CommitInDoubt, type PortableDatabase } from '../portable-database.ts';
import { UnusableDatabase } from '../unusable.ts';
import {
  type Counts,
  copyDatabase,
  ensureEmpty,
  hold,
  type Progress,
  reasonOf,
  TransferFailure,
} from './copy.ts';

interface MoveOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly progress: Progress;
}

/** The rows moved by table, or `finished` for an earlier move that was interrupted. */
export type MoveOutcome = Counts | 'finished';

/**
 * Moves a database into an empty one. Two databases cannot commit together, so the fence of the
 * source decides:
 *
 * 1. the source is held against writes, copied and compared;
 * 2. the copy is committed fenced, so that no server uses it;
 * 3. the source is fenced in the transaction that held it;
 * 4. the fence of the copy is lifted.
 *
 * A failure before 3 leaves the source as it was; after 3, moving again finishes the move. Throws `TransferFailure` and `UnusableDatabase`.
 */
export async function moveDatabase(
  source: PortableDatabase,
  openTarget: () => Promise<PortableDatabase>,
  options: MoveOptions,
): Promise<MoveOutcome> {
  const fenced = await source.findFence();
  const target = await openTarget();
  try {
    const half = await target.findFence();
    if (fenced !== undefined) return await finish(source, target, fenced, half);
    if (half?.role === 'moved') throw new UnusableDatabase(fenceProblem(target.name, half));
    if (half !== undefined) throw leftOver(source, target, half);
    return await move(source, target, options);
  } finally {
    await target.close();
  }
}

async function move(
  source: PortableDatabase,
  target: PortableDatabase,
  options: MoveOptions,
): Promise<Counts> {
  const { now, progress } = options;
  try {
    await hold(target, progress);
    await ensureEmpty(target, 'move into a database without animals and keys.');
    const id = crypto.randomUUID();
    const fence: Fence = { role: 'copy', other: source.name, at: now, id };
    const counts = await fill(source, target, options, fence);
    await fenceSource(source, target, { ...fence, role: 'moved', other: target.name });
    await finishCopy(source, target);
    return counts;
  } finally {
    await source.rollBack();
    await target.rollBack();
  }
}

/** Holds the source, copies all rows and commits the copy, fenced. */
async function fill(
  source: PortableDatabase,
  target: PortableDatabase,
  { progress }: MoveOptions,
  fence: Fence,
): Promise<Counts> {
  try {
    await hold(source, progress);
    const counts = await copyDatabase(source, target, progress);
    await target.fence(fence);
    await target.commit();
    return counts;
  } catch (error) {
    throw untouched(error, source, target);
  }
}

async function fenceSource(
  source: PortableDatabase,
  target: PortableDatabase,
  fence: Fence,
): Promise<void> {
  try {
    await source.fence(fence);
    await source.commit();
  } catch (error) {
    if (error instanceof CommitInDoubt) {
      throw new TransferFailure(
        `${source.name} did not confirm its fence; run the same command again: it finishes the ` +
          'move, or says what else to do.',
        { cause: error },
      );
    }
    await source.rollBack();
    await empty(target);
    throw untouched(error, source, target);
  }
}

async function finishCopy(source: PortableDatabase, target: PortableDatabase): Promise<void> {
  try {
    await liftFence(target);
  } catch (error) {
    throw new TransferFailure(
      `${source.name} is fenced and all of it is in ${target.name}, which failed at the last ` +
        'step; run the same command again to finish it.',
      { cause: error },
    );
  }
}

/** Finishes a move that was interrupted after its source was fenced. */
async function finish(
  source: PortableDatabase,
  target: PortableDatabase,
  fenced: Fence,
  half: Fence | undefined,
): Promise<'finished'> {
  const isSameMove = fenced.role === 'moved' && half?.role === 'copy' && half.id === fenced.id;
  if (!isSameMove) throw new UnusableDatabase(fenceProblem(source.name, fenced));
  await liftFence(target);
  return 'finished';
}

/** Empties the copy if the source could not be fenced. */
async function empty(target: PortableDatabase): Promise<void> {
  if (!(await target.beginHold())) throw new TransferFailure(`${target.name} is in use.`);
  await target.liftFence();
  await target.clear();
  await target.commit();
}

/** Adds the state of both databases to a failure before the source was fenced. */
function untouched(
  error: unknown,
  source: PortableDatabase,
  target: PortableDatabase,
): TransferFailure {
  const state =
    error instanceof CommitInDoubt
      ? `${target.name} did not confirm what was written: it is empty, or refused as a copy`
      : `${target.name} is empty`;
  return new TransferFailure(
    `${reasonOf(error)} ${source.name} is in service as before; ${state}.`,
  );
}

/** The failure for a copy whose source was never fenced. */
function leftOver(
  source: PortableDatabase,
  target: PortableDatabase,
  { other, at }: Fence,
): TransferFailure {
  const when = new Date(at).toISOString();
  return new TransferFailure(
    `${target.name} holds a copy of ${other} from a move at ${when} that was interrupted before ` +
      `its source was fenced. Nothing moved, and ${source.name} is in service. Remove that copy ` +
      '(delete the file, or drop the database and create it again), then move again.',
  );
}

/** Lifts the fence of a database, if it has one. Throws `TransferFailure`. */
async function liftFence(database: PortableDatabase): Promise<void> {
  if (!(await database.beginHold())) throw new TransferFailure(`${database.name} is in use.`);
  try {
    if ((await database.findFence()) === undefined) return;
    await database.liftFence();
    await database.commit();
  } finally {
    await database.rollBack();
  }
}
