import { createReadStream, type Stats, statSync } from 'node:fs';
import { CommandFailure } from '../explain.ts';

const ENCODING_NAMES = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252',
  'utf-16le': 'UTF-16',
} as const;

export type Encoding = keyof typeof ENCODING_NAMES;
export const ENCODINGS = Object.keys(ENCODING_NAMES);

/** The byte-order mark of UTF-16. These bytes never occur in UTF-8. */
const UTF_16_MARK = [0xff, 0xfe] as const;

export interface TextFile {
  readonly bytes: number;
  /**
   * Reads from the start, without the byte-order mark. Throws `CommandFailure` if the encoding is
   * wrong, or if the file has changed since it was opened.
   */
  chunks(): AsyncGenerator<string>;
}

/**
 * Opens a file. `advance` gets the size of each chunk that is read. Throws `CommandFailure` if
 * there is no file, or it cannot be read twice.
 */
export function openTextFile(
  path: string,
  encoding: Encoding,
  advance: (bytes: number) => void,
): TextFile {
  const opened = statOf(path);

  async function* chunks(): AsyncGenerator<string> {
    const now = statOf(path);
    if (now.size !== opened.size || now.mtimeMs !== opened.mtimeMs) {
      throw new CommandFailure(`${path} changed while it was being read; nothing was imported.`);
    }
    const decoder = new TextDecoder(encoding, { fatal: true });
    let isUtf16 = false;
    let hasStarted = false;
    const decode = (bytes?: Uint8Array) => {
      try {
        return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
      } catch {
        const name = ENCODING_NAMES[encoding];
        throw new CommandFailure(
          `${path} is not ${name} text; ${encodingAdvice(encoding, isUtf16)} Nothing was imported.`,
        );
      }
    };
    for await (const bytes of createReadStream(path)) {
      if (!hasStarted) isUtf16 = UTF_16_MARK.every((byte, target) => bytes[target] === byte);
      hasStarted = true;
      advance(bytes.length);
      yield decode(bytes);
    }
    yield decode();
  }

  return { bytes: opened.size, chunks };
}

function encodingAdvice(encoding: Encoding, isUtf16: boolean): string {
  if (encoding !== 'utf-8') return 'leave out --encoding to read it as UTF-8.';
  if (isUtf16) return 'add --encoding utf-16le.';
  return (
    'add --encoding windows-1252 if it comes from Excel or an older Windows program, or save it ' +
    'as UTF-8.'
  );
}

function statOf(path: string): Stats {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandFailure(`there is no file ${path}.`);
  if (!stats.isFile()) {
    throw new CommandFailure(
      `${path} is not a regular file; it must be one, because it is read twice.`,
    );
  }
  return stats;
}
