import { read } from 'node:fs';
import { promisify } from 'node:util';
import type { Upload } from '../domain/upload.ts';
import { ImportFailure } from './failure.ts';
import { binaryKind, NOT_TEXT } from './not-text.ts';
import type { TextChunks } from './row-source.ts';

const ENCODING_NAMES = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252',
  'utf-16le': 'UTF-16',
} as const;

/** The encodings of text that an import reads. */
export type Encoding = keyof typeof ENCODING_NAMES;
export const ENCODINGS = Object.keys(ENCODING_NAMES);

/** Text that is not in the encoding that it should be in. */
interface WrongEncoding {
  /** The name of that encoding. */
  readonly name: string;
  /** It starts with the byte-order mark of UTF-16. */
  readonly isUtf16: boolean;
}

/** The byte-order mark of UTF-16. These bytes never occur in UTF-8. */
const UTF_16_MARK = [0xff, 0xfe] as const;

/**
 * Decodes the bytes of a file, without the byte-order mark. Throws `ImportFailure` if it is no text, and what
 * `refusal` returns for other encodings.
 */
export async function* decodedText(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  encoding: Encoding,
  refusal: (wrong: WrongEncoding) => ImportFailure,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let isUtf16 = false;
  let hasStarted = false;
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw refusal({ name: ENCODING_NAMES[encoding], isUtf16 });
    }
  };
  for await (const chunk of bytes) {
    const kind = hasStarted ? undefined : binaryKind(chunk);
    if (kind) throw new ImportFailure(`${name} ${NOT_TEXT[kind]} Nothing was imported.`);
    if (!hasStarted) isUtf16 = UTF_16_MARK.every((byte, index) => chunk[index] === byte);
    hasStarted = true;
    yield decode(chunk);
  }
  yield decode();
}

const readAt = promisify(read);

/** Small, because the rows of a chunk are parsed in one turn of the event loop. */
const CHUNK_BYTES = 16_384;

/** Returns the text of an uploaded file, from its start each time. `advance` runs after each chunk. */
export function uploadedText(upload: Upload, advance: () => Promise<void>): TextChunks {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (let position = 0; ; ) {
      const chunk = new Uint8Array(CHUNK_BYTES);
      const { bytesRead } = await readAt(upload.descriptor, chunk, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
      position += bytesRead;
      await advance();
    }
  }
  return () => decodedText('The file', bytes(), 'utf-8', () => new ImportFailure(NOT_UTF8));
}

const NOT_UTF8 = 'The file is not UTF-8 text; save it as UTF-8. Nothing was imported.';
