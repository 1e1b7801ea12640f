/** The most bytes of files that are kept for the next request. */
const KEPT_BYTES_MAX = 33_554_432;

/** Files that requests share. */
export interface SharedFiles {
  /** Returns a file; undefined if there is none. Throws what reading it throws. */
  get(name: string): Promise<Blob | undefined>;
  /** Forgets all files. */
  clear(): void;
}

/**
 * Keeps the files that were read last, so that requests for a file share its bytes: a response keeps them
 * in memory until the client has read it, and a slow one takes its time.
 */
export function shareFiles(
  read: (name: string) => Promise<Blob | undefined>,
  bytesMax = KEPT_BYTES_MAX,
): SharedFiles {
  /** In the order of their last use. */
  const kept = new Map<string, { readonly file: Promise<Blob | undefined>; bytes: number }>();
  let bytes = 0;

  function drop(name: string): void {
    bytes -= kept.get(name)?.bytes ?? 0;
    kept.delete(name);
  }

  async function keep(name: string, file: Promise<Blob | undefined>): Promise<void> {
    const found = await file.catch(() => undefined);
    const entry = kept.get(name);
    if (entry?.file !== file) return;
    if (found === undefined) drop(name);
    else {
      entry.bytes = found.size;
      bytes += found.size;
    }
    for (const oldest of kept.keys()) {
      if (bytes <= bytesMax) break;
      drop(oldest);
    }
  }

  return {
    get(name) {
      const known = kept.get(name);
      if (known !== undefined) {
        kept.delete(name);
        kept.set(name, known);
        return known.file;
      }
      const file = read(name);
      kept.set(name, { file, bytes: 0 });
      void keep(name, file);
      return file;
    },
    clear() {
      kept.clear();
      bytes = 0;
    },
  };
}
