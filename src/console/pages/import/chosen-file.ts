/** A file that a person has chosen, read in the browser. */
import { ImportFailure } from '../../../import/failure.ts';
import { type FileSample, sampleOf } from './file-sample.ts';

/** The most that the service takes in one file. */
const FILE_MAX_BYTES = 64 * 1024 * 1024;

/** A file, ready to be sent. */
export interface ChosenFile {
  readonly name: string;
  readonly bytes: ArrayBuffer;
  readonly encoding: string;
  readonly sample: FileSample;
  /** The file in UTF-8, with the media type of its format. */
  readonly upload: Blob;
}

/** The encodings to choose from. Spreadsheets write files in that of their country. */
export const ENCODINGS = [
  { value: 'utf-8', label: 'Unicode (UTF-8)' },
  { value: 'windows-1252', label: 'Western European (Windows-1252)' },
  { value: 'windows-1250', label: 'Central European (Windows-1250)' },
  { value: 'windows-1251', label: 'Cyrillic (Windows-1251)' },
  { value: 'utf-16le', label: 'Unicode (UTF-16)' },
];

const MEDIA_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** Reads a file. Throws `ImportFailure` with advice for a file that is no table. */
export async function readFile(file: File): Promise<ChosenFile> {
  if (file.size > FILE_MAX_BYTES) {
    throw new ImportFailure(
      'This file is larger than 64 MB. Split it, or import it with the command "petstore import".',
    );
  }
  const bytes = await file.arrayBuffer().catch(() => {
    throw new ImportFailure('This file cannot be read. Is it still there?');
  });
  requireText(bytes, file.name);
  return inEncoding({ name: file.name, bytes }, encodingOf(bytes));
}

/** Reads the file again in another encoding. Throws `ImportFailure`. */
export async function inEncoding(
  { name, bytes }: Pick<ChosenFile, 'name' | 'bytes'>,
  encoding: string,
): Promise<ChosenFile> {
  const sample = await sampleOf(bytes, encoding);
  const type = MEDIA_TYPES[sample.format];
  const isSent = encoding === 'utf-8';
  const upload = new Blob([isSent ? bytes : new TextDecoder(encoding).decode(bytes)], { type });
  return { name, bytes, encoding, sample, upload };
}

/** UTF-8 if the file is, else what is most likely. */
function encodingOf(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** Spreadsheets are no text: they start as every ZIP file does, or as old Excel files do. */
function requireText(bytes: ArrayBuffer, name: string): void {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  const isArchive = (first === 0x50 && second === 0x4b) || (first === 0xd0 && second === 0xcf);
  if (isArchive || /\.(?:xlsx?|ods|numbers)$/i.test(name)) {
    throw new ImportFailure(
      'This is a spreadsheet. Open it, save it as CSV, and choose that file.',
    );
  }
}
