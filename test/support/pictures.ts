import { deflateSync } from 'node:zlib';

/* Files of photos, made by the tests themselves. */

/** Returns a picture that differs from that of any other seed. The left half is darker than the right one. */
export function picture(
  width: number,
  height: number,
  format: 'jpeg' | 'png' | 'webp' = 'jpeg',
  seed = 1,
): Promise<Uint8Array<ArrayBuffer>> {
  const row = Math.ceil((width * 3) / 4) * 4;
  const bitmap = Buffer.alloc(54 + row * height);
  bitmap.write('BM');
  bitmap.writeUInt32LE(bitmap.length, 2);
  bitmap.writeUInt32LE(54, 10);
  bitmap.writeUInt32LE(40, 14);
  bitmap.writeInt32LE(width, 18);
  bitmap.writeInt32LE(height, 22);
  bitmap.writeUInt16LE(1, 26);
  bitmap.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = 54 + y * row + x * 3;
      bitmap[at] = (x + y * seed) % 256;
      bitmap[at + 1] = x < width / 2 ? 20 : 220;
      bitmap[at + 2] = (seed * 37) % 256;
    }
  }
  const image = new Bun.Image(bitmap);
  return image[format]({ quality: 90 }).bytes() as Promise<Uint8Array<ArrayBuffer>>;
}

/** What a photo of a telephone tells besides the picture, none of which may be kept. */
export interface Secrets {
  readonly file: Uint8Array<ArrayBuffer>;
  /** Bytes that are nowhere but in what must be gone. */
  readonly secrets: readonly Buffer[];
}

const PLACE = 'GPS SECRET 48.8566N';
const LATITUDE = [48, 1, 51, 1, 2_376_543, 98_765];
const PROFILE = 'ICC SECRET';
const NOTES = 'XMP SECRET';
const COMMENT = 'COMMENT SECRET';
const TRAILER = 'PK\u0003\u0004 TRAILER SECRET <html><script>alert(1)</script></html>';

/**
 * Returns a photo whose sensor was on its side (EXIF orientation 6), with a place, an embedded thumbnail,
 * a colour profile, notes, a comment, and a page behind its end.
 */
export async function photoWithSecrets(): Promise<Secrets> {
  const sideways = Buffer.from(await picture(1_600, 1_200));
  const thumbnail = Buffer.from(await picture(160, 120, 'jpeg', 9));
  const profile = Buffer.alloc(200);
  profile.writeUInt32BE(profile.length, 0);
  profile.write('acsp', 36);
  profile.write(PROFILE, 150);
  const file = Buffer.concat([
    sideways.subarray(0, 2),
    segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif(thumbnail)])),
    segment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${NOTES}`)),
    segment(0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\u0001\u0001', 'latin1'), profile])),
    segment(0xfe, Buffer.from(COMMENT)),
    sideways.subarray(2),
    Buffer.from(TRAILER),
  ]);
  const texts = [PLACE, PROFILE, NOTES, COMMENT, TRAILER].map((text) => Buffer.from(text));
  return { file, secrets: [...texts, longs(LATITUDE), thumbnail.subarray(-90, -10)] };
}

export function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

function longs(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, n) => {
    bytes.writeUInt32BE(value, n * 4);
  });
  return bytes;
}

/** A TIFF with the orientation and a place in its first directory, and a thumbnail in the second one. */
function exif(thumbnail: Buffer): Buffer {
  const head = Buffer.from('MM\0*\0\0\0\u0008', 'latin1');
  const firstAt = head.length;
  const gpsAt = firstAt + 2 + 2 * 12 + 4;
  const secondAt = gpsAt + 2 + 2 * 12 + 4;
  const latitudeAt = secondAt + 2 + 2 * 12 + 4;
  const placeAt = latitudeAt + LATITUDE.length * 4;
  const thumbnailAt = placeAt + PLACE.length;
  const first = [entry(0x0112, 3, 1, 6 << 16), entry(0x8825, 4, 1, gpsAt)];
  const gps = [entry(0x0002, 5, 3, latitudeAt), entry(0x001c, 7, PLACE.length, placeAt)];
  const second = [entry(0x0201, 4, 1, thumbnailAt), entry(0x0202, 4, 1, thumbnail.length)];
  return Buffer.concat([
    head,
    directory(first, secondAt),
    directory(gps, 0),
    directory(second, 0),
    longs(LATITUDE),
    Buffer.from(PLACE),
    thumbnail,
  ]);
}

function entry(tag: number, type: number, count: number, value: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt16BE(tag, 0);
  bytes.writeUInt16BE(type, 2);
  bytes.writeUInt32BE(count, 4);
  bytes.writeUInt32BE(value, 8);
  return bytes;
}

function directory(entries: readonly Buffer[], next: number): Buffer {
  const count = Buffer.alloc(2);
  count.writeUInt16BE(entries.length);
  return Buffer.concat([count, ...entries, longs([next])]);
}

/** Returns a PNG of one colour, of any size, in a few bytes. */
export function hugePng(width: number, height: number): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([1, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height), { level: 9 });
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', Buffer.from(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), content]);
  const frame = Buffer.alloc(4);
  frame.writeUInt32BE(content.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(Bun.hash.crc32(body));
  return Buffer.concat([frame, body, checksum]);
}

/** Returns a grey progressive JPEG of this many scans, each of which goes over all of its pixels. */
export function jpegOfScans(count: number): Uint8Array<ArrayBuffer> {
  const lengths = (...codes: number[]) => [...codes, ...Array(16 - codes.length).fill(0)];
  const scan = (first: number) =>
    Buffer.concat([segment(0xda, Buffer.from([1, 1, 0, first, first, 0])), Buffer.alloc(16)]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, Buffer.from([0, ...Array(64).fill(1)])),
    segment(0xc2, Buffer.from([8, 0, 16, 0, 16, 1, 1, 0x11, 0])),
    segment(0xc4, Buffer.from([0, ...lengths(1), 0])),
    segment(0xc4, Buffer.from([0x10, ...lengths(1), 0])),
    ...Array.from({ length: count }, (_, n) => scan(n === 0 ? 0 : 1 + (n % 63))),
    Buffer.from([0xff, 0xd9]),
  ]);
}
