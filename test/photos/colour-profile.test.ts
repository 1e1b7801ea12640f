import { describe, expect, test } from 'bun:test';
import { jpegSegments } from '../../src/photos/format.ts';
import { framesOf } from '../../src/photos/frames.ts';
import { picture } from '../support/pictures.ts';

const SECRET = 'Made by SECRET-CAMERA';
const numbers = (type: string, ...values: readonly number[]) => {
  const bytes = Buffer.alloc(8 + values.length * 4);
  bytes.write(type);
  values.forEach((value, n) => {
    bytes.writeInt32BE(Math.round(value * 65_536), 8 + n * 4);
  });
  return bytes;
};
/** As the sRGB curve is written: a formula of five numbers, after its number 3. */
const CURVE = numbers('para', 3, 2.4, 0.947_87, 0.052_13, 0.077_4, 0.040_45);
CURVE.writeUInt32BE(3 << 16, 8);
/** Display P3, which telephones take photos in, with texts and with something behind its tags. */
const TAGS: readonly (readonly [string, Buffer])[] = [
  ['desc', Buffer.from(`desc\0\0\0\0${SECRET}`)],
  ['rXYZ', numbers('XYZ ', 0.515_12, 0.241_2, -0.001_05)],
  ['gXYZ', numbers('XYZ ', 0.291_98, 0.692_25, 0.041_89)],
  ['bXYZ', numbers('XYZ ', 0.157_1, 0.066_57, 0.784_07)],
  ['wtpt', numbers('XYZ ', 0.950_45, 1, 1.089_05)],
  ['rTRC', CURVE],
  ['gTRC', CURVE],
  ['bTRC', CURVE],
];

function profileOf(tags: typeof TAGS): Buffer {
  const head = Buffer.alloc(132 + tags.length * 12);
  head.write('RGB ', 16);
  head.write('acsp', 36);
  head.writeUInt32BE(tags.length, 128);
  let at = head.length;
  for (const [n, [name, content]] of tags.entries()) {
    head.write(name, 132 + n * 12);
    head.writeUInt32BE(at, 136 + n * 12);
    head.writeUInt32BE(content.length, 140 + n * 12);
    at += content.length;
  }
  const all = Buffer.concat([head, ...tags.map(([, content]) => content), Buffer.from(SECRET)]);
  all.writeUInt32BE(all.length, 0);
  return all;
}

async function kept(profile: Buffer): Promise<readonly Buffer[]> {
  const jpeg = Buffer.from(await picture(1_400, 20));
  const body = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), profile]);
  const head = Buffer.from([0xff, 0xe2, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  const made = await framesOf(Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]));
  if ('problem' in made) throw new Error(made.problem);
  return made.frames.map(({ bytes }) => Buffer.from(bytes));
}

describe('a colour profile', () => {
  test('keeps its colours in every picture, and nothing else', async () => {
    for (const picture of await kept(profileOf(TAGS))) {
      for (const [name, content] of TAGS) {
        expect([name, picture.includes(content)]).toEqual([name, name !== 'desc']);
      }
      expect(picture.includes('SECRET')).toBe(false);
    }
  });

  test('is one that another program can read', async () => {
    const [jpeg = Buffer.alloc(0)] = await kept(profileOf(TAGS));
    const segment = jpegSegments(jpeg)?.find(({ marker }) => marker === 0xe2);
    const profile = jpeg.subarray((segment?.start ?? 0) + 18, segment?.end);
    expect(profile.readUInt32BE(0)).toBe(profile.length);
    expect(profile.toString('latin1', 12, 24)).toBe('mntrRGB XYZ ');
    expect(profile.readUInt32BE(128)).toBe(7);
    for (let n = 0; n < 7; n++) {
      const [at, length] = [136, 140].map((field) => profile.readUInt32BE(field + n * 12));
      expect((at ?? 1) % 4).toBe(0);
      expect((at ?? 0) + (length ?? 0)).toBeLessThanOrEqual(profile.length);
    }
  });

  test.each([
    ['without a curve', TAGS.slice(0, -1)],
    [
      'with a table in place of a curve',
      [...TAGS.slice(0, -1), ['bTRC', Buffer.alloc(400, 'curv')]],
    ],
    ['with a text in place of a colour', [...TAGS.slice(2), ['rXYZ', Buffer.from(SECRET)]]],
  ] as const)('%s is removed', async (_, tags) => {
    for (const picture of await kept(profileOf(tags as typeof TAGS))) {
      expect([picture.includes('ICC_PROFILE'), picture.includes('SECRET')]).toEqual([false, false]);
    }
  });

  test.each([0, 1, 131, 140, 200])('of %i bytes is removed', async (length) => {
    for (const picture of await kept(profileOf(TAGS).subarray(0, length))) {
      expect(picture.includes('ICC_PROFILE')).toBe(false);
    }
  });
});
