/**
 * Repairs UTF-8 text that was read as Windows-1252 or Latin-1 and encoded as UTF-8 a second time:
 * `PadmÃ©` was `Padmé`.
 */

/** The byte of each character above ASCII in either encoding. */
const BYTE_OF = byteTable();

function byteTable(): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  const windows = new TextDecoder('windows-1252');
  for (let byte = 0x80; byte <= 0xff; byte++) {
    bytes.set(String.fromCharCode(byte), byte);
    bytes.set(windows.decode(Uint8Array.of(byte)), byte);
  }
  return bytes;
}

const ASCII = /^\p{ASCII}*$/u;
const LATIN_LETTER = /\p{Script=Latin}/u;
/**
 * Plausible next to Latin letters: ASCII, European letters and signs, combining accents,
 * typographic quotes and dashes, and characters of four bytes, which do not arise by chance.
 */
const GOES_WITH_LATIN =
  /^(?:\p{ASCII}|[\u00a0-\u017f\u2010-\u2026\u20ac\u2122\u{10000}-\u{10ffff}]|[\u0300-\u036f])*$/u;

/**
 * Undoes double encoding, and returns any other text unchanged. A correct text almost never looks
 * double-encoded: each accented letter would have to be followed by exactly the signs that complete
 * a UTF-8 sequence, as in `Ã©`. Where that happens by chance, as in `Strauß’ Hund` or `CAFÉ™`, the
 * result holds a letter that does not fit the rest, so these texts stay unchanged too.
 */
export function repairDoubleEncoding(text: string): string {
  if (ASCII.test(text)) return text;
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const byte = code < 0x80 ? code : BYTE_OF.get(character);
    if (byte === undefined) return text;
    bytes.push(byte);
  }
  const repaired = decode(Uint8Array.from(bytes));
  if (repaired === undefined) return text;
  const plausible = !LATIN_LETTER.test(repaired) || GOES_WITH_LATIN.test(repaired);
  return plausible ? repaired : text;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
