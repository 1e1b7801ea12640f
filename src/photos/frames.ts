import { type BareFile, bareFile } from './bare-file.ts';
import { type PhotoFormat, recognize } from './format.ts';
import { upright } from './orientation.ts';

/** The most pixels of a photo. Of each the decoder needs four bytes, and more for some files. */
export const PIXELS_MAX = 40_000_000;
/** The longest edge: a picture of one row costs five times a square one. */
export const EDGE_MAX = 30_000;
/** The longest edge of the JPEG that is kept. */
const KEPT_EDGE = 2_048;
const KEPT_QUALITY = 88;
const JPEG_QUALITY = 82;
const WEBP_QUALITY = 80;
/** The widths of what is shown. Where a photo is narrower, its own width is the last one. */
const SHOWN_WIDTHS = [320, 640, 1_280];
const JPEG_WIDTH = 1_280;

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
  readonly problem: 'unknown' | 'cut' | 'pixels' | 'edge' | 'animated' | 'damaged';
  /** What the file is, if that is known. */
  readonly found?: string | undefined;
}

/**
 * Makes the pictures of a photo: decodes it once, upright, into a JPEG of which the others are made. The
 * decoder gets its pixels and colours alone, so nothing else of the file gets into them.
 */
export async function framesOf(bytes: Uint8Array): Promise<Frames | Unusable> {
  const { format, name } = recognize(bytes);
  if (format === undefined) return { problem: 'unknown', found: name };
  const bare = bareFile(bytes, format);
  if (typeof bare === 'string') return { problem: bare, found: name };
  try {
    const made = await makeFrames(bare, format);
    return made === 'edge' ? { problem: made, found: name } : made;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isTooLarge = 'code' in error && error.code === 'ERR_IMAGE_TOO_MANY_PIXELS';
    return { problem: isTooLarge ? 'pixels' : 'damaged', found: name };
  }
}

async function makeFrames(
  { file, orientation }: BareFile,
  format: PhotoFormat,
): Promise<Frames | 'edge'> {
  const decoded = new Bun.Image(file, { maxPixels: PIXELS_MAX, autoOrient: false });
  const { format: taken, ...edges } = await decoded.metadata();
  // The first bytes decide what the decoder takes it for, as they did here.
  if (taken !== format) throw new Error('it is of another format');
  if (Math.max(edges.width, edges.height) > EDGE_MAX) return 'edge';
  const inside = { fit: 'inside', withoutEnlargement: true } as const;
  const smaller = decoded.resize(KEPT_EDGE, KEPT_EDGE, inside);
  // Turned only now: the whole picture would be twice in memory.
  const turned =
    orientation === 1
      ? smaller
      : upright(new Bun.Image(await smaller.png({ compressionLevel: 1 }).bytes()), orientation);
  const image = turned.jpeg({ quality: KEPT_QUALITY });
  const kept = await image.bytes();
  const { width, height } = image;
  const frames: Frame[] = [{ format: 'jpg', width, bytes: kept }];
  const at = (most: number) =>
    new Bun.Image(kept).resize(Math.min(most, width), undefined, { withoutEnlargement: true });
  if (width > JPEG_WIDTH) {
    const bytes = await at(JPEG_WIDTH).jpeg({ quality: JPEG_QUALITY }).bytes();
    frames.push({ format: 'jpg', width: JPEG_WIDTH, bytes });
  }
  for (const shown of new Set(SHOWN_WIDTHS.map((most) => Math.min(most, width)))) {
    const bytes = await at(shown).webp({ quality: WEBP_QUALITY }).bytes();
    frames.push({ format: 'webp', width: shown, bytes });
  }
  return { width, height, frames };
}
