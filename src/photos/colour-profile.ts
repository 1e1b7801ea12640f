/** The tags that say what the three colours are, and how their values grow. The others are for people. */
const COLOURS = ['rXYZ', 'gXYZ', 'bXYZ', 'wtpt', 'chad'];
const CURVES = ['rTRC', 'gTRC', 'bTRC'];
const NEEDED = ['rXYZ', 'gXYZ', 'bXYZ', ...CURVES];
const HEADER_BYTES = 128;
const TAG_BYTES = 12;
/** The longest of these tags: a matrix. A curve is a formula or one number, never a table. */
const CONTENT_MAX = 44;
/** Version 4.3, of a screen, from RGB to XYZ, under the light D50. */
const HEADER: readonly (readonly [at: number, text: string])[] = [
  [8, '\x04\x30\0\0mntrRGB XYZ '],
  [36, 'acsp'],
  [68, '\0\0\xf6\xd6\0\x01\0\0\0\0\xd3\x2d'],
];

/**
 * Returns a profile with the colours of another one, and nothing else of it: a profile can hold any bytes.
 * Undefined if it has more than a few numbers; decoders then assume sRGB, which it mostly is.
 */
export function plainProfile(profile: Buffer): Buffer | undefined {
  const tags = tagsIn(profile).filter(([name, content]) => isNumbers(name, content));
  if (!NEEDED.every((name) => tags.some(([found]) => found === name))) return undefined;
  const head = Buffer.alloc(HEADER_BYTES + 4 + tags.length * TAG_BYTES);
  for (const [at, text] of HEADER) head.write(text, at, 'latin1');
  head.writeUInt32BE(tags.length, HEADER_BYTES);
  let at = head.length;
  for (const [n, [name, content]] of tags.entries()) {
    const entry = HEADER_BYTES + 4 + n * TAG_BYTES;
    head.write(name, entry, 'latin1');
    head.writeUInt32BE(at, entry + 4);
    head.writeUInt32BE(content.length, entry + 8);
    at += content.length;
  }
  head.writeUInt32BE(at, 0);
  return Buffer.concat([head, ...tags.map(([, content]) => content)]);
}

/** The tags of a profile that are inside it, each name once. */
function tagsIn(profile: Buffer): readonly (readonly [name: string, content: Buffer])[] {
  if (profile.length < HEADER_BYTES + 4 || profile.toString('latin1', 16, 20) !== 'RGB ') return [];
  const found = new Map<string, Buffer>();
  const count = Math.min(profile.readUInt32BE(HEADER_BYTES), 50);
  for (let n = 0; n < count; n++) {
    const entry = HEADER_BYTES + 4 + n * TAG_BYTES;
    if (entry + TAG_BYTES > profile.length) break;
    const start = profile.readUInt32BE(entry + 4);
    const content = profile.subarray(start, start + profile.readUInt32BE(entry + 8));
    const padding = Buffer.alloc(-content.length & 3);
    found.set(profile.toString('latin1', entry, entry + 4), Buffer.concat([content, padding]));
  }
  return [...found];
}

function isNumbers(name: string, content: Buffer): boolean {
  if (content.length > CONTENT_MAX) return false;
  const type = content.toString('latin1', 0, 4);
  return COLOURS.includes(name)
    ? type === (name === 'chad' ? 'sf32' : 'XYZ ')
    : CURVES.includes(name) && ['para', 'curv'].includes(type);
}
