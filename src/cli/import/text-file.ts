import { createReadStream, type Stats, statSync } from 'node:fs';
import { CommandFailure } from '../explain.ts';

/** How a text may be encoded, and what people call that. */
const ENCODING_NAMES = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252',
  'utf-16le': 'UTF-16',
} as const;

/** How a text is encoded. */
export type Encoding = keyof typeof ENCODING_NAMES;
export const ENCODINGS = Object.keys(ENCODING_NAMES);

/** The byte-order mark of UTF-16, which is never part of UTF-8. */
const UTF_16_MARK = [0xff, 0xfe] as const;

/** A file of text. */
export interface TextFile {
  readonly bytes: number;
  /**
   * Reads it from its start, without a byte-order mark. Throws `CommandFailure` where it is not
   * encoded so, or is another one than when it was opened.
   */
  chunks(): AsyncGenerator<string>;
}

/**
 * Opens a file; `advance` is told of each piece that is read, in bytes. Throws `CommandFailure`
 * where there is none, or none that can be read twice.
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
      throw new CommandFailure(`${path} changed while it was read; nothing was imported.`);
    }
    const decoder = new TextDecoder(encoding, { fatal: true });
    let isUtf16 = false;
    let isBegun = false;
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
      if (!isBegun) isUtf16 = UTF_16_MARK.every((byte, target) => bytes[target] === byte);
      isBegun = true;
      advance(bytes.length);
      yield decode(bytes);
    }
    yield decode();
  }

  return { bytes: opened.size, chunks };
}

function encodingAdvice(encoding: Encoding, isUtf16: boolean): string {
  if (encoding !== 'utf-8') return 'without --encoding it is read as UTF-8.';
  if (isUtf16) return 'say --encoding utf-16le.';
  return (
    'say --encoding windows-1252 if it comes from Excel or an older program on Windows, or save ' +
    'it as UTF-8.'
  );
}

function statOf(path: string): Stats {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandFailure(`there is no file ${path}.`);
  if (!stats.isFile()) {
    throw new CommandFailure(`${path} is no plain file; it is read twice, so it must be one.`);
  }
  return stats;
}
