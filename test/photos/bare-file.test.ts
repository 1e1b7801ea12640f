import { describe, expect, test } from 'bun:test';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { DECODE_PHOTO, ownCommand } from '../../src/child/own-program.ts';
import { bareFile } from '../../src/photos/bare-file.ts';
import type { PhotoFormat } from '../../src/photos/format.ts';
import { framesOf } from '../../src/photos/frames.ts';
import { chunk, hugePng, picture, segment } from '../support/pictures.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const MIB = 1_048_576;
/** What the largest picture takes, and what a busy machine adds. */
const MOST_MB = 400;
/** Only Linux tells it so. */
const PEAK = process.platform === 'linux' ? ['--preload', join(import.meta.dir, 'peak.ts')] : [];
const many = (count: number, part: Buffer) => Buffer.concat(Array(count).fill(part));
const latin1 = (text: string) => Buffer.from(text, 'latin1');
/** EXIF data that names an orientation and nothing else. */
const exif = (orientation: number) =>
  latin1(
    `MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0${String.fromCharCode(orientation)}\0\0\0\0\0\0`,
  );

function riff(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length & 1)]);
}

/** Puts parts of the format into a picture: before its pixels, or behind them. */
async function withParts(
  format: PhotoFormat,
  before: readonly Buffer[],
  after: readonly Buffer[] = [],
): Promise<Buffer> {
  const file = Buffer.from(await picture(60, 40, format));
  const [head, end] = { jpeg: [2, 2], png: [33, 12], webp: [12, 0] }[format] as [number, number];
  const parts = [...before, file.subarray(head, file.length - end), ...after];
  if (format !== 'webp') {
    return Buffer.concat([file.subarray(0, head), ...parts, file.subarray(file.length - end)]);
  }
  const extended = Buffer.alloc(10);
  extended.set([0x2c, 0, 0, 0, 59, 0, 0, 39, 0, 0]);
  return riff('RIFF', Buffer.concat([Buffer.from('WEBP'), riff('VP8X', extended), ...parts]));
}

const bomb = deflateSync(Buffer.alloc(60 * MIB, 'A'), { level: 9 });
const zTXt = chunk('zTXt', Buffer.concat([latin1('k\0\0'), bomb]));
const iTXt = chunk('iTXt', Buffer.concat([latin1('k\0\x01\0en\0k\0'), bomb]));
const iCCP = chunk('iCCP', Buffer.concat([latin1('k\0\0'), bomb]));
const part = (n: number) =>
  segment(
    0xe2,
    Buffer.concat([latin1('ICC_PROFILE\0'), Buffer.from([n, 255]), Buffer.alloc(65_000)]),
  );

describe('a file takes the decoder at most 400 MB', () => {
  test.each([
    ['PNG with compressed texts', () => withParts('png', [many(20, zTXt)])],
    ['PNG with international texts behind it', () => withParts('png', [], [many(20, iTXt)])],
    ['PNG with profiles', () => withParts('png', [many(20, iCCP)])],
    ['PNG of many chunks', () => withParts('png', [many(40_000, chunk('tEXt', latin1('a\0b')))])],
    [
      'PNG of many palettes',
      () => withParts('png', [many(900, chunk('sPLT', Buffer.alloc(9_000)))]),
    ],
    [
      'PNG that moves',
      () => withParts('png', [chunk('acTL', Buffer.alloc(8, 1))], [many(300, chunk('fdAT', bomb))]),
    ],
    [
      'JPEG with a profile of parts',
      () =>
        withParts(
          'jpeg',
          Array.from({ length: 255 }, (_, n) => part(n + 1)),
        ),
    ],
    [
      'JPEG with comments',
      () => withParts('jpeg', [many(4_800, segment(0xfe, Buffer.alloc(4_000)))]),
    ],
    [
      'JPEG with segments of programs',
      () => withParts('jpeg', [many(250, segment(0xe5, Buffer.alloc(65_000)))]),
    ],
    [
      'WebP with unknown chunks',
      () => withParts('webp', [many(40_000, riff('ABCD', Buffer.alloc(9)))]),
    ],
    ['WebP with a profile', () => withParts('webp', [riff('ICCP', Buffer.alloc(19 * MIB, 1))])],
  ] as const)('%s', async (_, make) => {
    const { megabytes, header } = await decode(await make());
    expect(header).toStartWith('{"width":60,"height":40,');
    expect(megabytes).toBeLessThan(MOST_MB);
  });

  test('the largest, turned', async () => {
    const file = Buffer.from(hugePng(6_324, 6_324));
    const turned = Buffer.concat([file.subarray(0, 33), chunk('eXIf', exif(6)), file.subarray(33)]);
    const { megabytes, header } = await decode(turned);
    expect(header).toStartWith('{"width":2048,"height":2048,');
    expect(megabytes).toBeLessThan(MOST_MB);
  });
});

/** Decodes a file in a process of its own, and returns the first line and the most memory that it took. */
async function decode(file: Uint8Array) {
  using folder = createTemporaryFolder();
  writeFileSync(folder.file('photo'), file);
  const [bun = '', ...program] = ownCommand(DECODE_PHOTO);
  const child = Bun.spawn([bun, ...PEAK, ...program], {
    stdio: [openSync(folder.file('photo'), 'r'), 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  const [, kibibytes] = /^peak (\d+)$/m.exec(errors) ?? [];
  const bytes = kibibytes === undefined ? child.resourceUsage()?.maxRSS : Number(kibibytes) * 1_024;
  return { header: output.split('\n', 1)[0] ?? '', megabytes: (bytes ?? Number.NaN) / MIB };
}

describe('what cannot be decoded is named', () => {
  test.each([
    ['animated', () => withParts('webp', [riff('ANMF', Buffer.alloc(30))])],
    ['damaged', () => withParts('webp', [many(50_000, riff('ABCD', Buffer.alloc(0)))])],
    ['damaged', () => withParts('png', [many(50_000, chunk('IDAT', Buffer.alloc(0)))])],
    ['edge', async () => hugePng(30_001, 1)],
    ['edge', async () => hugePng(1, 30_001)],
    ['pixels', async () => hugePng(6_325, 6_325)],
    ['cut', async () => (await withParts('png', [])).subarray(0, -1)],
    ['cut', async () => (await withParts('webp', [])).subarray(0, -1)],
    ['cut', async () => (await withParts('jpeg', [])).subarray(0, -1)],
  ] as const)('%s', async (problem, make) => {
    expect(await framesOf(await make())).toMatchObject({ problem });
  });
});

describe('of what surrounds the pixels', () => {
  const formats: readonly (readonly [PhotoFormat, (content: Buffer) => Buffer])[] = [
    ['jpeg', (content) => segment(0xe1, Buffer.concat([latin1('Exif\0\0'), content]))],
    ['png', (content) => chunk('eXIf', content)],
    ['webp', (content) => riff('EXIF', content)],
  ];

  test.each(formats)('a %s keeps nothing', async (format, part) => {
    const secret = Buffer.concat([exif(1), Buffer.from('SECRET')]);
    const bare = bareFile(await withParts(format, [part(secret)], [part(secret)]), format);
    expect(typeof bare !== 'string' && Buffer.from(bare.file).includes('SECRET')).toBe(false);
    expect(await framesOf(await withParts(format, [part(secret)]))).toMatchObject({ width: 60 });
  });

  // Dark is left of light in the file.
  test.each([
    [1, 'left'],
    [2, 'right'],
    [3, 'right'],
    [4, 'left'],
    [5, 'top'],
    [6, 'top'],
    [7, 'bottom'],
    [8, 'bottom'],
  ] as const)(
    'orientation %i turns every format, so that dark is %s',
    async (orientation, dark) => {
      for (const [format, part] of formats) {
        const made = await framesOf(await withParts(format, [part(exif(orientation))]));
        if ('problem' in made) throw new Error(`${format} ${made.problem}`);
        expect([format, made.width, await darkSide(made.frames[0]?.bytes)]).toEqual([
          format,
          orientation > 4 ? 40 : 60,
          dark,
        ]);
      }
    },
  );
});

/** Returns the side of a picture that is dark in green, from its four quarters. */
async function darkSide(file: Uint8Array = new Uint8Array()) {
  const png = Buffer.from(await new Bun.Image(file).resize(2, 2).png().bytes());
  const at = png.indexOf('IDAT');
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  const [a, b, c, d] = greensOf(rows);
  if (a < 120 && c < 120) return 'left';
  if (b < 120 && d < 120) return 'right';
  return a < 120 && b < 120 ? 'top' : 'bottom';
}

/** Undoes the filters of two rows of two pixels (PNG, section 9). */
function greensOf(rows: Buffer): readonly [number, number, number, number] {
  const width = rows.length / 2;
  const bytes = (width - 1) / 2;
  const values: number[][] = [];
  for (const y of [0, 1]) {
    const filter = rows[y * width] ?? 0;
    const row: number[] = [];
    for (let x = 0; x < 2 * bytes; x++) {
      const [left, up, corner] = [
        row[x - bytes] ?? 0,
        values[y - 1]?.[x] ?? 0,
        values[y - 1]?.[x - bytes] ?? 0,
      ];
      const near = [left, up, corner].toSorted(
        (one, other) => Math.abs(left + up - corner - one) - Math.abs(left + up - corner - other),
      )[0];
      const expected = [0, left, up, (left + up) >> 1, near ?? 0][filter] ?? 0;
      row.push(((rows[y * width + 1 + x] ?? 0) + expected) & 255);
    }
    values.push(row);
  }
  const [first = [], second = []] = values;
  return [first[1] ?? 0, first[bytes + 1] ?? 0, second[1] ?? 0, second[bytes + 1] ?? 0];
}
