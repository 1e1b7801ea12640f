import { createReadStream, type Stats, statSync } from 'node:fs';
import { ImportFailure } from '../../import/failure.ts';
import { decodedText, type Encoding } from '../../import/text-chunks.ts';

/**
 * Opens a file. `advance` gets the size of each chunk that is read. Throws `ImportFailure` if
 * there is no file, or it cannot be read twice.
 */
export function openTextFile(path: string, encoding: Encoding, advance: (bytes: number) => void) {
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

  return {
    bytes: opened.size,
    /**
     * Reads from the start, without the byte-order mark. Throws `ImportFailure` if it is no text, the
     * encoding is wrong, or if the file has changed since it was opened.
     */
    chunks: () =>
      decodedText(path, read(), encoding, ({ name, isUtf16 }) => {
        const advice = encodingAdvice(encoding, isUtf16);
        return new ImportFailure(`${path} is not ${name} text; ${advice} Nothing was imported.`);
      }),
  };
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
  if (stats === undefined) throw new ImportFailure(`there is no file ${path}.`);
  if (!stats.isFile()) {
    throw new ImportFailure(
      `${path} is not a regular file; it must be one, because it is read twice.`,
    );
  }
  return stats;
}
