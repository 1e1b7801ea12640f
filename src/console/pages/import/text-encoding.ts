/** Files that are not in UTF-8: spreadsheets write them in the encoding of their country. */

/** An encoding that a file can be read in. */
export interface Encoding {
  /** A label of the Encoding Standard. */
  readonly label: string;
  readonly name: string;
}

export const ENCODINGS: readonly Encoding[] = [
  { label: 'utf-8', name: 'Unicode (UTF-8)' },
  { label: 'windows-1252', name: 'Western European (Windows-1252)' },
  { label: 'windows-1250', name: 'Central European (Windows-1250)' },
  { label: 'windows-1251', name: 'Cyrillic (Windows-1251)' },
  { label: 'utf-16le', name: 'Unicode (UTF-16)' },
];

/** A text, and the encoding it was in. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: string;
}

/** Decodes a file: as UTF-8 if it is, else as what is most likely. */
export function decode(bytes: ArrayBuffer): DecodedText {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (first === 0xff && second === 0xfe) return decodeAs(bytes, 'utf-16le');
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' };
  } catch {
    return decodeAs(bytes, 'windows-1252');
  }
}

/** Decodes a file in an encoding that a person has chosen. */
export function decodeAs(bytes: ArrayBuffer, encoding: string): DecodedText {
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}
