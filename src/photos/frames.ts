import { plainProfile } from './colour-profile.ts';
import { isWhole, jpegSegments, type PhotoFormat, recognize, SCAN } from './format.ts';

/** The most pixels of a photo. Of each the decoder needs four bytes, and more for some files. */
export const PIXELS_MAX = 40_000_000;
/** The longest edge of the JPEG that is kept. */
const KEPT_EDGE = 2_048;
const KEPT_QUALITY = 88;
const JPEG_QUALITY = 82;
const WEBP_QUALITY = 80;
/** The widths of what is shown. Where a photo is narrower, its own width is the last one. */
const SHOWN_WIDTHS = [320, 640, 1_280];
const JPEG_WIDTH = 1_280;
/**
 * The most scans of a JPEG. Programs write about ten, but each of thousands goes over all pixels: a file
 * of 100 kB would take the decoder half a minute.
 */
const SCANS_MAX = 100;

/** A picture made from a photo. */
export interface Frame {
  readonly format: 'jpg' | 'webp';
  readonly width: number;
  readonly bytes: Uint8Array;
}

/** The pictures made from a photo; the first of them is the JPEG that the others are made from. */
export interface Frames {
  readonly width: number;
  readonly height: number;
  readonly frames: readonly Frame[];
}

/** Why no pictures were made. */
export interface Unusable {
  readonly problem: 'unknown' | 'cut' | 'pixels' | 'damaged';
  /** What the file is, if that is known. */
  readonly found?: string | undefined;
}

/**
 * Makes the pictures of a photo: decodes it once, upright, into a JPEG of which the others are made. No
 * byte of the file gets into them, because only its pixels do.
 */
export async function framesOf(bytes: Uint8Array): Promise<Frames | Unusable> {
  const { format, name } = recognize(bytes);
  if (format === undefined) return { problem: 'unknown', found: name };
  if (!isWhole(bytes, format)) return { problem: 'cut', found: name };
  if (format === 'jpeg' && scansOf(bytes) > SCANS_MAX) return { problem: 'damaged', found: name };
  try {
    return await makeFrames(bytes, format);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isTooLarge = 'code' in error && error.code === 'ERR_IMAGE_TOO_MANY_PIXELS';
    return { problem: isTooLarge ? 'pixels' : 'damaged', found: name };
  }
}

function scansOf(jpeg: Uint8Array): number {
  return jpegSegments(jpeg)?.filter(({ marker }) => marker === SCAN).length ?? 0;
}

async function makeFrames(sent: Uint8Array, format: PhotoFormat): Promise<Frames> {
  const decoded = new Bun.Image(sent, { maxPixels: PIXELS_MAX, autoOrient: true });
  // The first bytes decide what the decoder takes it for, as they did here.
  if ((await decoded.metadata()).format !== format) throw new Error('it is of another format');
  const inside = { fit: 'inside', withoutEnlargement: true } as const;
  const image = decoded.resize(KEPT_EDGE, KEPT_EDGE, inside).jpeg({ quality: KEPT_QUALITY });
  const kept = withoutMetadata(await image.bytes());
  const { width, height } = image;
  const frames: Frame[] = [{ format: 'jpg', width, bytes: kept }];
  const at = (most: number) =>
    new Bun.Image(kept).resize(Math.min(most, width), undefined, { withoutEnlargement: true });
  if (width > JPEG_WIDTH) {
    const bytes = await at(JPEG_WIDTH).jpeg({ quality: JPEG_QUALITY }).bytes();
    frames.push({ format: 'jpg', width: JPEG_WIDTH, bytes: withoutMetadata(bytes) });
  }
  for (const shown of new Set(SHOWN_WIDTHS.map((most) => Math.min(most, width)))) {
    const bytes = await at(shown).webp({ quality: WEBP_QUALITY }).bytes();
    frames.push({ format: 'webp', width: shown, bytes });
  }
  return { width, height, frames };
}

const isMetadata = (marker: number) => (marker > 0xe0 && marker <= 0xef) || marker === 0xfe;

/** Removes what the encoder takes over from the file: its colour profile, of which only the colours stay. */
function withoutMetadata(jpeg: Uint8Array): Uint8Array {
  const segments = jpegSegments(jpeg);
  if (segments === undefined) throw new Error('the encoder made no JPEG');
  const kept = segments.flatMap(({ marker, start, end }) => {
    const segment = Buffer.from(jpeg.subarray(start, end));
    return isMetadata(marker) ? (plainProfile(segment) ?? []) : segment;
  });
  return Buffer.concat([jpeg.subarray(0, 2), ...kept, new Uint8Array([0xff, 0xd9])]);
}
