/** How files start that are no text, one character for each byte. */
const SPREADSHEET = 'PK\x03\x04';
const OLD_SPREADSHEET = '\xd0\xcf\x11\xe0';
const OTHERS = ['%PDF-', '\x89PNG', '\xff\xd8\xff', 'GIF8', 'RIFF', '\x1f\x8b'];
/** Bytes of a file that say what it is. */
export const SIGNATURE_BYTES = 5;

/** What a file is that starts so; undefined for text. */
export function binaryKind(start: Uint8Array): 'xlsx' | 'spreadsheet' | 'binary' | undefined {
  const signature = String.fromCharCode(...start.subarray(0, SIGNATURE_BYTES));
  const isOne = (known: string) => signature.startsWith(known);
  if (isOne(SPREADSHEET)) return 'xlsx';
  if (isOne(OLD_SPREADSHEET)) return 'spreadsheet';
  return OTHERS.some(isOne) ? 'binary' : undefined;
}

/** What to say of a file of each kind, after its name. */
export const NOT_TEXT = {
  spreadsheet:
    'is a spreadsheet of an old kind. Open it, save it as .xlsx or CSV, and import that file.',
  binary: 'is not a text file with rows. Save the table as CSV, and import that file.',
};
