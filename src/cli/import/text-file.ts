import { createReadStream, type Stats, statSync } from 'node:fs';
import { ImportFailure } from '../../import/failure.ts';
import type { FileBytes } from '../../import/open-source.ts';

/**
 * Opens a file. `advance` gets the size of each chunk that is read. Throws `ImportFailure` if there is no
 * file, if it cannot be read more than once, or if it has changed since it was opened.
 */
export function openFile(path: string, advance: (bytes: number) => void): FileBytes {
  const opened = statOf(path);

  async function* read(): AsyncGenerator<Uint8Array> {
    const now = statOf(path);
    if (now.size !== opened.size || now.mtimeMs !== opened.mtimeMs) {
      throw new ImportFailure(`${path} changed while it was being read; nothing was imported.`);
    }
    for await (const bytes of createReadStream(path)) {
      advance(bytes.length);
      yield bytes;
    }
  }

  return { name: path, bytes: opened.size, read };
}

function statOf(path: string): Stats {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new ImportFailure(`there is no file ${path}.`);
  if (!stats.isFile()) {
    throw new ImportFailure(
      `${path} is not a regular file; it must be one, because it is read several times.`,
    );
  }
  return stats;
}
