/** A file that a person has chosen, read in the browser. */
import { FILE_MAX_BYTES, type FileSample, sampleOf, UnreadableFile } from './file-sample.ts';

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

/** Reads a file. Throws `UnreadableFile` with advice for a file that is no table. */
export async function readFile(file: File): Promise<ChosenFile> {
  if (file.size > FILE_MAX_BYTES) {
    throw new UnreadableFile(
      'This file is larger than 64 MB. Split it, or import it with the command "petstore import".',
    );
  }
  const bytes = await file.arrayBuffer().catch(() => {
    throw new UnreadableFile('This file cannot be read. Is it still there?');
  });
  requireText(bytes, file.name);
  return readAs(file.name, bytes, encodingOf(bytes));
}

/** Reads the file again in another encoding. Throws `UnreadableFile`. */
export function inEncoding({ name, bytes }: ChosenFile, encoding: string): Promise<ChosenFile> {
  return readAs(name, bytes, encoding);
}

async function readAs(name: string, bytes: ArrayBuffer, encoding: string): Promise<ChosenFile> {
  const text = new TextDecoder(encoding).decode(bytes);
  const sample = await sampleOf(text);
  const type = MEDIA_TYPES[sample.format];
  const upload = new Blob([encoding === 'utf-8' ? bytes : text], { type });
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
    throw new UnreadableFile(
      'This is a spreadsheet. Open it, save it as CSV, and choose that file.',
    );
  }
}
