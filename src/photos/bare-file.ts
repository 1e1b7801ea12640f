import { deflateSync, inflateSync } from 'node:zlib';
import { plainProfile } from './colour-profile.ts';
import { JPEG_END, JPEG_START, jpegSegments, type PhotoFormat, PNG_START } from './format.ts';
import { orientationIn } from './orientation.ts';

/** A file without what a decoder does not need. */
export interface BareFile {
  readonly file: Uint8Array;
  /** How to turn it upright: a value of the EXIF tag, from 1. */
  readonly orientation: number;
}

/** Why a file cannot be decoded. */
type Fault = 'cut' | 'damaged' | 'animated';

/** The most parts of a PNG or WebP. Programs write a few thousand for the largest photo. */
const PARTS_MAX = 50_000;
/**
 * The most scans of a JPEG. Programs write about ten, but each of thousands goes over all pixels: a file
 * of 100 kB would take the decoder half a minute.
 */
const SCANS_MAX = 100;
/** The longest colour profile. */
const PROFILE_MAX = 1_048_576;

/**
 * Returns a file with nothing but its pixels and colours. Decoders also unpack what no bound on pixels covers, such
 * as compressed texts, and keep it several times over.
 */
export function bareFile(bytes: Uint8Array, format: PhotoFormat): BareFile | Fault {
  const sent = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (format) {
    case 'jpeg':
      return bareJpeg(sent);
    case 'png':
      return barePng(sent);
    case 'webp':
      return bareWebp(sent);
  }
}

/** Frames, tables, scans, restarts, and the two that say how colours are stored. */
const JPEG_NEEDED = (marker: number) =>
  (marker >= 0xc0 && marker <= 0xcf) || [0xda, 0xdb, 0xdd, 0xe0, 0xee].includes(marker);
const SCAN = 0xda;
const EXIF = 0xe1;
const PROFILE = 0xe2;
const EXIF_MARK = 'Exif\0\0';
/** The name of the format, and that it is the only part of a profile. */
const PROFILE_MARK = Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1');

function bareJpeg(sent: Buffer): BareFile | Fault {
  const segments = jpegSegments(sent);
  if (segments === undefined) return 'cut';
  if (segments.filter(({ marker }) => marker === SCAN).length > SCANS_MAX) return 'damaged';
  const kept: Uint8Array[] = [Buffer.from(JPEG_START)];
  let orientation = 1;
  for (const { marker, start, end } of segments) {
    const content = sent.subarray(start + 4, end);
    if (JPEG_NEEDED(marker)) kept.push(sent.subarray(start, end));
    else if (marker === EXIF && startsWith(content, EXIF_MARK)) {
      orientation = orientationIn(content.subarray(EXIF_MARK.length));
    } else if (marker === PROFILE && startsWith(content, PROFILE_MARK)) {
      const profile = plainProfile(content.subarray(PROFILE_MARK.length));
      if (profile !== undefined) kept.push(profileSegment(profile));
    }
  }
  return { file: Buffer.concat([...kept, Buffer.from(JPEG_END)]), orientation };
}

function profileSegment(profile: Buffer): Buffer {
  const head = Buffer.from([0xff, PROFILE, 0, 0]);
  head.writeUInt16BE(2 + PROFILE_MARK.length + profile.length, 2);
  return Buffer.concat([head, PROFILE_MARK, profile]);
}

const PNG_NEEDED = ['IHDR', 'PLTE', 'tRNS', 'IDAT'];
const PNG_END = 'IEND';

function barePng(sent: Buffer): BareFile | Fault {
  const kept: Uint8Array[] = [Buffer.from(PNG_START)];
  let orientation = 1;
  let at = PNG_START.length;
  for (let parts = 0; at + 12 <= sent.length; parts++) {
    if (parts === PARTS_MAX) return 'damaged';
    const type = sent.toString('latin1', at + 4, at + 8);
    const end = at + 12 + sent.readUInt32BE(at);
    if (end > sent.length) return 'cut';
    const content = sent.subarray(at + 8, end - 4);
    if (PNG_NEEDED.includes(type)) kept.push(sent.subarray(at, end));
    else if (type === 'eXIf') orientation = orientationIn(content);
    else if (type === 'iCCP') kept.push(pngProfile(content));
    else if (type === PNG_END) {
      return { file: Buffer.concat([...kept, pngChunk(PNG_END, Buffer.alloc(0))]), orientation };
    }
    at = end;
  }
  return 'cut';
}

/** Returns the chunk of a colour profile; nothing if it is not plain. */
function pngProfile(content: Buffer): Buffer {
  // A name, its end and the method come before it.
  const packed = content.subarray(content.indexOf(0) + 2);
  try {
    const profile = plainProfile(inflateSync(packed, { maxOutputLength: PROFILE_MAX }));
    if (profile === undefined) return Buffer.alloc(0);
    return pngChunk('iCCP', Buffer.concat([Buffer.from('ICC\0\0'), deflateSync(profile)]));
  } catch {
    return Buffer.alloc(0);
  }
}

function pngChunk(type: string, content: Uint8Array): Buffer {
  const frame = Buffer.alloc(12 + content.length);
  frame.writeUInt32BE(content.length);
  frame.write(type, 4);
  frame.set(content, 8);
  frame.writeUInt32BE(Bun.hash.crc32(frame.subarray(4, -4)), frame.length - 4);
  return frame;
}

const WEBP_NEEDED = ['ALPH', 'VP8 ', 'VP8L'];
const RIFF_HEAD = 12;
/** Flags of the head of an extended file. */
const HAS_PROFILE = 0x20;
const HAS_ALPHA = 0x10;

function bareWebp(sent: Buffer): BareFile | Fault {
  const size = sent.length < RIFF_HEAD ? sent.length : sent.readUInt32LE(4) + 8;
  if (size > sent.length) return 'cut';
  const kept: Buffer[] = [];
  let head: Buffer | undefined;
  let profile: Buffer | undefined;
  let orientation = 1;
  let at = RIFF_HEAD;
  for (let parts = 0; at + 8 <= size; parts++) {
    if (parts === PARTS_MAX) return 'damaged';
    const type = sent.toString('latin1', at, at + 4);
    const length = sent.readUInt32LE(at + 4);
    const content = sent.subarray(at + 8, at + 8 + length);
    if (content.length < length) return 'cut';
    if (type === 'ANIM' || type === 'ANMF') return 'animated';
    if (WEBP_NEEDED.includes(type)) kept.push(riffChunk(type, content));
    else if (type === 'VP8X') head = Buffer.from(content);
    else if (type === 'ICCP') profile = plainProfile(content);
    else if (type === 'EXIF') {
      orientation = orientationIn(content.subarray(startsWith(content, EXIF_MARK) ? 6 : 0));
    }
    at += 8 + length + (length & 1);
  }
  if (head?.length) {
    head[0] = ((head[0] ?? 0) & HAS_ALPHA) | (profile ? HAS_PROFILE : 0);
    kept.unshift(riffChunk('VP8X', head), ...(profile ? [riffChunk('ICCP', profile)] : []));
  }
  return { file: riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...kept])), orientation };
}

function riffChunk(type: string, content: Buffer): Buffer {
  const chunk = Buffer.alloc(8 + content.length + (content.length & 1));
  chunk.write(type, 'latin1');
  chunk.writeUInt32LE(content.length, 4);
  chunk.set(content, 8);
  return chunk;
}

function startsWith(content: Buffer, mark: string | Buffer): boolean {
  return content.subarray(0, mark.length).equals(Buffer.from(mark));
}
