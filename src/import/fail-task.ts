import type { Clock } from '../domain/clock.ts';
import { failureReason } from './failure-reason.ts';
import { Lost, type TaskState } from './task-state.ts';

interface FailParts {
  readonly clock: Clock;
  /** Reports an error that is no fault of the file. */
  failed(error: unknown): void;
}

/** Ends an import with the error that it met. Never throws: the import says how it ended. */
export async function failTask(
  error: unknown,
  state: TaskState,
  { clock, failed }: FailParts,
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
