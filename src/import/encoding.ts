import chardet from 'chardet';
import { ImportFailure } from './failure.ts';
import { KNOWN_HEADERS, lettersOf } from './headers.ts';
import { type Encoding, encodingNamed } from './mapping.ts';

/** Bytes of the lines with other letters than those of ASCII that the library looks at. */
const SAMPLE_BYTES = 65_536;
/** From this confidence on, in percent, the guess of the library counts, if the next one is far below. */
const SURE = 40;
const SURE_TIMES = 2;
/** One or two letters fit most encodings. */
const LETTERS_MIN = 5;

/** The names that the library and the WHATWG standard have for one encoding. */
const SAME: Readonly<Record<string, Encoding>> = { 'iso-8859-1': 'windows-1252', ascii: 'utf-8' };

/** The encoding of a file. */
export interface FoundEncoding {
  readonly encoding: Encoding;
  /** A text of the file as it reads now; undefined for UTF-8. */
  readonly example?: string;
}

/**
 * Finds the encoding of a file: UTF-8 if all of it is, else what a library finds in it. Throws `ImportFailure`
 * with proposals where it is not sure.
 */
export async function findEncoding(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  term: string,
): Promise<FoundEncoding> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const sample: Uint8Array[] = [];
  let sampled = 0;
  let isUtf8 = true;
  let isFirst = true;
  for await (const chunk of bytes) {
    if (isFirst) {
      const encoding = utf16In(chunk);
      if (encoding !== undefined) return { encoding };
      isFirst = false;
    }
    if (isUtf8) isUtf8 = decodes(decoder, chunk);
    if (sampled < SAMPLE_BYTES) {
      for (const line of linesWithLetters(chunk)) {
        sample.push(line);
        sampled += line.length;
      }
    }
    if (!isUtf8 && sampled >= SAMPLE_BYTES) break;
  }
  if (isUtf8 && decodes(decoder)) return { encoding: 'utf-8' };
  return guess(name, joined(sample).subarray(0, SAMPLE_BYTES), term);
}

/** Joins parts of a file, in a browser too. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Returns which UTF-16 a file is in, by its byte-order mark or else by two letters of ASCII at its start. */
function utf16In(start: Uint8Array): Encoding | undefined {
  const [one, two, three, four] = start;
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  if (one === 0xfe && two === 0xff) return 'utf-16be';
  if (one && two === 0 && three && four === 0) return 'utf-16le';
  return one === 0 && two && three === 0 && four ? 'utf-16be' : undefined;
}

function decodes(decoder: TextDecoder, chunk?: Uint8Array): boolean {
  try {
    if (chunk === undefined) decoder.decode();
    else decoder.decode(chunk, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function* linesWithLetters(chunk: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < chunk.length; ) {
    const found = chunk.indexOf(0x0a, start);
    const end = found < 0 ? chunk.length : found + 1;
    const line = chunk.subarray(start, end);
    if (line.some((byte) => byte >= 0x80)) yield line;
    start = end;
  }
}

function guess(name: string, sample: Uint8Array, term: string): FoundEncoding {
  const found = chardet
    .analyse(sample)
    .map(({ name: label, confidence }) => {
      const known = encodingNamed(label);
      const encoding = known && (SAME[known] ?? known);
      return { encoding, confidence, example: encoding && exampleIn(sample, encoding) };
    })
    .flatMap(({ encoding, confidence, example }) =>
      encoding === undefined || example === undefined || encoding === 'utf-8'
        ? []
        : [{ encoding, confidence, example }],
    );
  const [first, second] = found.filter(
    ({ encoding }, at) => found.findIndex((one) => one.encoding === encoding) === at,
  );
  if (first === undefined) {
    throw new ImportFailure(
      `${name} is not UTF-8 text, and its encoding cannot be found; save it as UTF-8. Nothing was imported.`,
    );
  }
  const byHeader = withKnownHeaders(sample, found);
  if (byHeader !== undefined) return byHeader;
  const letters = sample.reduce((count, byte) => count + Number(byte >= 0x80), 0);
  const isSure =
    letters >= LETTERS_MIN &&
    first.confidence >= SURE &&
    first.confidence >= SURE_TIMES * (second?.confidence ?? 0);
  if (isSure) return first;
  const proposals = [first, ...(second ? [second] : [])].map(
    ({ encoding, example }) => `${term} ${encoding} if "${example}" is right`,
  );
  throw new ImportFailure(
    `${name} is not UTF-8 text, and its encoding is not sure: ${proposals.join(', ')}. Nothing was imported.`,
  );
}

/** Lines at the start of the sample that may have the header. */
const HEADER_LINES = 10;

/** Returns the only encoding in which most headers are known. */
function withKnownHeaders<T extends { readonly encoding: Encoding }>(
  sample: Uint8Array,
  found: readonly T[],
): T | undefined {
  const counts = found.map((one) => {
    const lines = new TextDecoder(one.encoding).decode(sample).split(/\r\n|[\r\n]/, HEADER_LINES);
    const known = lines.map(
      (line) =>
        line
          .split(/[,;\t]/)
          // A header without other letters is the same in all of them.
          .filter((cell) => /[^\p{ASCII}]/u.test(cell) && KNOWN_HEADERS.has(lettersOf(cell)))
          .length,
    );
    return { one, known: Math.max(0, ...known) };
  });
  const [best, second] = counts.toSorted((a, b) => b.known - a.known);
  const isOnly = best !== undefined && best.known > (second?.known ?? 0);
  return isOnly ? best.one : undefined;
}

const EXAMPLE_MAX = 40;

/** Returns a cell with a letter outside ASCII; undefined if the sample is not in the encoding. */
function exampleIn(sample: Uint8Array, encoding: Encoding): string | undefined {
  const text = new TextDecoder(encoding).decode(sample);
  // The sample can end within a letter.
  if (text.slice(0, -2).includes('\ufffd')) return undefined;
  const cells = text.split(/[,;\t\r\n"]/).map((cell) => cell.trim());
  const found = cells.find((cell) => /[^\p{ASCII}]/u.test(cell) && cell.length <= EXAMPLE_MAX);
  return found ?? text.replaceAll(/\s+/g, ' ').slice(0, EXAMPLE_MAX);
}
