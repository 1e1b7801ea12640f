import { read } from 'node:fs';
import { promisify } from 'node:util';
import type { Upload } from '../domain/upload.ts';
import { ImportFailure } from './failure.ts';
import type { TextChunks } from './row-source.ts';
import { decodedText } from './text-chunks.ts';

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
  return () => decodedText(bytes(), 'utf-8', () => new ImportFailure(NOT_TEXT));
}

const NOT_TEXT = 'The file is not UTF-8 text; save it as UTF-8. Nothing was imported.';
