const ORIENTATION = 0x0112;
const ENTRY_BYTES = 12;
const ENTRIES_MAX = 500;

/** Returns the orientation that EXIF data names, from 1 to 8; 1, which is upright, if it names none. */
export function orientationIn(exif: Buffer): number {
  const order = exif.toString('latin1', 0, 2);
  if (exif.length < 10 || (order !== 'II' && order !== 'MM')) return 1;
  const short = (at: number) => (order === 'II' ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  const directory = order === 'II' ? exif.readUInt32LE(4) : exif.readUInt32BE(4);
  if (directory + 2 > exif.length) return 1;
  const count = Math.min(short(directory), ENTRIES_MAX);
  for (let n = 0; n < count; n++) {
    const at = directory + 2 + n * ENTRY_BYTES;
    if (at + ENTRY_BYTES > exif.length) return 1;
    if (short(at) !== ORIENTATION) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** By orientation: degrees to turn to the right, and whether to mirror then. */
const TURNS: readonly (readonly [degrees: number, mirrored: boolean])[] = [
  [0, false],
  ...([
    [0, false],
    [0, true],
    [180, false],
    [180, true],
  ] as const),
  ...([
    [90, true],
    [90, false],
    [270, true],
    [270, false],
  ] as const),
];

/** Turns an image upright. */
export function upright(image: Bun.Image, orientation: number): Bun.Image {
  const [degrees, mirrored] = TURNS[orientation] ?? [0, false];
  const turned = degrees === 0 ? image : image.rotate(degrees);
  return mirrored ? turned.flop() : turned;
}
