import { expect, test } from 'bun:test';
import { shareFiles } from '../../src/photos/photos.ts';

function createFiles() {
  const reads: string[] = [];
  const files = shareFiles(async (name) => {
    reads.push(name);
    if (name === 'broken') throw new Error('the bucket is gone');
    return name === 'none' ? undefined : new Blob([new Uint8Array(40)]);
  }, 100);
  return { files, reads };
}

test('requests for a file share its bytes, also while they are read', async () => {
  const { files, reads } = createFiles();
  const [one, other] = await Promise.all([files.get('a'), files.get('a')]);
  expect(one).toBe(other as Blob);
  expect(await files.get('a')).toBe(one as Blob);
  expect(reads).toEqual(['a']);
});

test('the file whose use is longest ago makes room', async () => {
  const { files, reads } = createFiles();
  for (const name of ['a', 'b', 'a', 'c', 'a', 'c', 'b']) await files.get(name);
  expect(reads).toEqual(['a', 'b', 'c', 'b']);
});

test('what is missing, cannot be read or is forgotten is read again', async () => {
  const { files, reads } = createFiles();
  for (let n = 0; n < 2; n++) {
    expect(await files.get('none')).toBeUndefined();
    await expect(files.get('broken')).rejects.toThrow('the bucket is gone');
    await files.get('a');
    files.clear();
  }
  expect(reads).toEqual(['none', 'broken', 'a', 'none', 'broken', 'a']);
  for (const count of [7, 8]) {
    await expect(files.get('broken')).rejects.toThrow();
    await Bun.sleep(0);
    expect(reads).toHaveLength(count);
  }
});
