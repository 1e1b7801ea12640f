import type { OwnUploadFiles } from '../../http/upload.ts';

/**
 * The files that arrive at one worker. The main thread opens them: what a thread of the runtime has
 * opened stays open when it dies.
 */
export interface WorkerUploads extends OwnUploadFiles {
  /** Gives up a file that the main thread takes over. Throws if the worker has ended. */
  handOver(descriptor: number): void;
  /** Closes and frees all that a worker has left. Nothing of it runs any more. */
  end(): void;
}

/** Creates the files of a worker among those of the process, which bound all workers together. */
export function createWorkerUploads(files: OwnUploadFiles): WorkerUploads {
  const arriving = new Set<number>();
  const descriptors = new Set<number>();
  let hasEnded = false;

  return {
    open(sender, lose) {
      if (hasEnded) throw ended();
      const descriptor = files.open(sender, lose);
      arriving.add(descriptor);
      descriptors.add(descriptor);
      return descriptor;
    },
    free(descriptor) {
      if (arriving.delete(descriptor)) files.free(descriptor);
    },
    isContested: files.isContested,
    close(descriptor) {
      if (descriptors.delete(descriptor)) files.close(descriptor);
    },
    handOver(descriptor) {
      if (!descriptors.delete(descriptor)) throw ended();
    },
    end() {
      hasEnded = true;
      for (const descriptor of arriving) files.free(descriptor);
      arriving.clear();
      for (const descriptor of descriptors) files.close(descriptor);
      descriptors.clear();
    },
  };
}

function ended(): Error {
  return new Error('the worker at which the file arrived has ended');
}
