/** How files start that are no text, one character for each byte. */
const SPREADSHEET = 'PK\x03\x04';
const OLD_SPREADSHEET = '\xd0\xcf\x11\xe0';
const OTHERS = ['%PDF-', '\x89PNG', '\xff\xd8\xff', 'GIF8', 'RIFF', '\x1f\x8b'];
/** Bytes of a file that say what it is. */
const SIGNATURE_BYTES = 5;

/** What a file is that starts so; undefined for text. */
export function binaryKind(
  start: Uint8Array,
): 'xlsx' | 'spreadsheet' | 'page' | 'binary' | undefined {
  const signature = String.fromCharCode(...start.subarray(0, SIGNATURE_BYTES));
  const isOne = (known: string) => signature.startsWith(known);
  if (isOne(SPREADSHEET)) return 'xlsx';
  if (isOne(OLD_SPREADSHEET)) return 'spreadsheet';
  if (/^\s*<(?:!|\?|h)/i.test(signature.replace('\xef\xbb\xbf', ''))) return 'page';
  return OTHERS.some(isOne) ? 'binary' : undefined;
}

/** What to say of a file of each kind, after its name. */
export const NOT_TEXT = {
  spreadsheet:
    'is a spreadsheet of an old kind. Open it, save it as .xlsx or CSV, and import that file.',
  page: 'is a web page or XML, whatever its name says. Open it with a spreadsheet program, save it as .xlsx or CSV, and import that file.',
  binary: 'is not a text file with rows. Save the table as CSV, and import that file.',
};

/** What to say of an archive without a sheet, after its name. */
export function notASpreadsheet(bytes: Uint8Array): string {
  const start = String.fromCharCode(...bytes.subarray(0, 4_000));
  if (/opendocument|content\.xml|\.iwa|Metadata\//.test(start)) {
    return 'is a spreadsheet of another kind (.ods or .numbers): save it as .xlsx or CSV';
  }
  return 'is an archive without a spreadsheet: unpack it, and import the file in it';
}
