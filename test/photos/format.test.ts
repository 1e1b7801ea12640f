import { expect, test } from 'bun:test';
import { jpegSegments } from '../../src/photos/format.ts';

/** A JPEG of this many empty segments and no picture. */
function jpegOf(segments: number): Uint8Array {
  const parts = Array.from({ length: segments }, () => [0xff, 0xe0, 0x00, 0x02]).flat();
  return Uint8Array.from([0xff, 0xd8, ...parts, 0xff, 0xd9]);
}

test('a JPEG of more segments than any camera writes is not read to its end', () => {
  expect(jpegSegments(jpegOf(5_000))).toHaveLength(5_000);
  expect(jpegSegments(jpegOf(5_001))).toBeUndefined();
});
