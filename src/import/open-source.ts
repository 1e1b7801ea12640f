import { createCsvSource } from './csv-rows.ts';
import { type FoundEncoding, findEncoding, joined } from './encoding.ts';
import { ImportFailure } from './failure.ts';
import { createJsonSource, isJsonDocument } from './json-rows.ts';
import { type Encoding, encodingNamed } from './mapping.ts';
import { createNdjsonSource } from './ndjson-rows.ts';
import { binaryKind, NOT_TEXT } from './not-text.ts';
import type { RowSource, TextChunks } from './row-source.ts';
import { createXlsxSource } from './xlsx-rows.ts';

/** Characters that tell the form of a file. */
const START = 65_536;
/** A packed spreadsheet is read whole. */
const SPREADSHEET_BYTES_MAX = 64 * 1024 * 1024;

/** The bytes of a file. */
export interface FileBytes {
  readonly name: string;
  readonly bytes: number;
  /** Reads them from the start. */
  read(): AsyncIterable<Uint8Array>;
}

/** A file in the form and encoding that it has. */
export interface OpenedSource extends FoundEncoding {
  readonly source: RowSource;
}

/**
 * Opens a file of rows: a spreadsheet, CSV, JSON or NDJSON, as its content shows. `encoding` is that of a text;
 * otherwise it is found out. Throws `ImportFailure` for a file of another kind.
 */
export async function openSource(
  file: FileBytes,
  encoding: string | undefined,
  term: string,
): Promise<OpenedSource> {
  const { name } = file;
  const start = await firstOf(file.read());
  const kind = start && binaryKind(start);
  if (kind === 'xlsx') {
    if (file.bytes > SPREADSHEET_BYTES_MAX) {
      throw new ImportFailure(
        `${name} is larger than 64 MB: save it as CSV. Nothing was imported.`,
      );
    }
    const parts: Uint8Array[] = [];
    for await (const part of file.read()) parts.push(part);
    return { source: createXlsxSource(name, joined(parts)), encoding: 'utf-8' };
  }
  if (kind) throw new ImportFailure(`${name} ${NOT_TEXT[kind]} Nothing was imported.`);
  const named = encoding === undefined ? undefined : encodingNamed(encoding);
  const found = named ? { encoding: named } : await findEncoding(name, file.read(), term);
  const chunks = () => decodedText(file, found.encoding, term);
  return { source: await openText(name, chunks), ...found };
}

async function openText(name: string, chunks: TextChunks): Promise<RowSource> {
  let start = '';
  for await (const chunk of chunks()) {
    start += chunk;
    if (start.length >= START) break;
  }
  if (isJsonDocument(start)) return createJsonSource(name, chunks);
  const create = start.trimStart().startsWith('{') ? createNdjsonSource : createCsvSource;
  return create(name, chunks);
}

async function firstOf(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  for await (const part of parts) return part;
  return undefined;
}

/** Decodes a file, without the byte-order mark. Throws `ImportFailure` if it has another encoding. */
async function* decodedText(
  { name, read }: FileBytes,
  encoding: Encoding,
  term: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new ImportFailure(
        `${name} is not ${encoding} text; leave out ${term} to find its encoding. Nothing was imported.`,
      );
    }
  };
  for await (const chunk of read()) yield decode(chunk);
  yield decode();
}
