import { createUploadSlots } from '../http/upload.ts';
import type { ArrivingUpload, MainCalls } from './calls.ts';

/** The files that arrive at all workers, bounded as one process bounds them. */
export interface SharedUploadSlots {
  readonly calls: Pick<MainCalls, 'takeUpload' | 'freeUpload'>;
  /** Frees the slots of a worker that has died. */
  freeHeldBy(worker: number): void;
}

/** Creates the slots of the process. */
export function createSharedUploadSlots(): SharedUploadSlots {
  const slots = createUploadSlots();
  let held: ArrivingUpload[] = [];

  return {
    calls: {
      async takeUpload(upload) {
        await slots.take(upload.sender);
        held.push(upload);
      },
      freeUpload({ worker, sender }) {
        const at = held.findIndex((each) => each.worker === worker && each.sender === sender);
        if (at === -1) return;
        held.splice(at, 1);
        slots.free(sender);
      },
    },
    freeHeldBy(worker) {
      for (const each of held) if (each.worker === worker) slots.free(each.sender);
      held = held.filter((each) => each.worker !== worker);
    },
  };
}
