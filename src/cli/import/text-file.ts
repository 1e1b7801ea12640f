import { createReadStream, type Stats, statSync } from 'node:fs';
import { CommandFailure } from '../explain.ts';

/** A file of UTF-8 text. */
export interface TextFile {
  readonly bytes: number;
  /**
   * Reads it from its start, without a byte-order mark. Throws `CommandFailure` where it is not
   * UTF-8, or is another one than when it was opened.
   */
  chunks(): AsyncGenerator<string>;
}

/**
 * Opens a file; `advance` is told of each piece that is read, in bytes. Throws `CommandFailure`
 * where there is none, or none that can be read twice.
 */
export function openTextFile(path: string, advance: (bytes: number) => void): TextFile {
  const opened = statOf(path);

  async function* chunks(): AsyncGenerator<string> {
    const now = statOf(path);
    if (now.size !== opened.size || now.mtimeMs !== opened.mtimeMs) {
      throw new CommandFailure(`${path} changed while it was read; nothing was imported.`);
    }
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const decode = (bytes?: Uint8Array) => {
      try {
        return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
      } catch {
        throw new CommandFailure(
          `${path} is not UTF-8 text: save it as UTF-8 and try again; nothing was imported.`,
        );
      }
    };
    for await (const bytes of createReadStream(path)) {
      advance(bytes.length);
      yield decode(bytes);
    }
    yield decode();
  }

  return { bytes: opened.size, chunks };
}

function statOf(path: string): Stats {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandFailure(`there is no file ${path}.`);
  if (!stats.isFile()) {
    throw new CommandFailure(`${path} is no plain file; it is read twice, so it must be one.`);
  }
  return stats;
}
