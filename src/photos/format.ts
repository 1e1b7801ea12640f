/** The formats that are taken. */
export type PhotoFormat = 'jpeg' | 'png' | 'webp';

/** What a file is, by its bytes. */
interface Recognized {
  /** Undefined if it is not taken. */
  readonly format: PhotoFormat | undefined;
  /** Its name, for people; undefined if nobody knows. */
  readonly name: string | undefined;
}

export const JPEG_START = [0xff, 0xd8];
export const JPEG_END = [0xff, 0xd9];
export const PNG_START = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Where the brands of an ISO base media file start, and how many are looked at. */
const BRANDS_FROM = 8;
const BRANDS_MAX = 16;

/** Returns what a file is. Only its first bytes count, not what anybody calls it. */
export function recognize(bytes: Uint8Array): Recognized {
  if (startsWith(bytes, [...JPEG_START, 0xff])) return { format: 'jpeg', name: 'JPEG' };
  if (startsWith(bytes, PNG_START)) return { format: 'png', name: 'PNG' };
  if (textAt(bytes, 0, 4) === 'RIFF' && textAt(bytes, 8, 4) === 'WEBP') {
    return { format: 'webp', name: 'WebP' };
  }
  return { format: undefined, name: otherName(bytes) };
}

function otherName(bytes: Uint8Array): string | undefined {
  if (textAt(bytes, 4, 4) === 'ftyp') {
    const brands = textAt(bytes, BRANDS_FROM, 4 * BRANDS_MAX);
    if (/avif|avis/.test(brands)) return 'AVIF';
    if (/hei[cxms]|hev[cxms]|mif1|msf1/.test(brands)) return 'HEIC';
    return undefined;
  }
  const start = textAt(bytes, 0, 4);
  if (start === 'GIF8') return 'GIF';
  if (start === 'II*\0' || start === 'MM\0*') return 'TIFF';
  return start.startsWith('BM') ? 'BMP' : undefined;
}

/** A segment of a JPEG: its marker, and where it is. A scan includes the data that follows it. */
interface JpegSegment {
  readonly marker: number;
  readonly start: number;
  readonly end: number;
}

const MARKER = 0xff;
const START = 0xd8;
const END = 0xd9;
/** The marker of a scan. */
const SCAN = 0xda;

/** A camera writes a few dozen, a file of 64 KiB parts of a large profile some hundreds. */
const SEGMENTS_MAX = 5_000;

/** Returns the segments of a JPEG between its start and its end; undefined if the end is missing, or too far. */
export function jpegSegments(bytes: Uint8Array): readonly JpegSegment[] | undefined {
  if (bytes[0] !== MARKER || bytes[1] !== START) return undefined;
  const segments: JpegSegment[] = [];
  let at = 2;
  while (at + 1 < bytes.length) {
    // Stray bytes, and any number of fill bytes, may precede a marker.
    at = bytes.indexOf(MARKER, at);
    if (at === -1) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === END) return segments;
    if (standsAlone(marker)) {
      at += marker === MARKER ? 1 : 2;
      continue;
    }
    if (at + 4 > bytes.length) return undefined;
    const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
    const head = at + 2 + length;
    const end = marker === SCAN ? scanEnd(bytes, head) : head;
    if (length < 2 || end > bytes.length || segments.length === SEGMENTS_MAX) return undefined;
    segments.push({ marker, start: at, end });
    at = end;
  }
  return undefined;
}

/** Markers without a length: fill bytes, escaped data, restarts and the start. */
function standsAlone(marker: number): boolean {
  return marker === MARKER || marker <= 0x01 || (marker >= 0xd0 && marker <= START);
}

/** Returns where the data of a scan ends: at the next marker outside it. */
function scanEnd(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(MARKER, start); at !== -1; at = bytes.indexOf(MARKER, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== MARKER && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return bytes.length;
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, n) => bytes[n] === byte);
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}
