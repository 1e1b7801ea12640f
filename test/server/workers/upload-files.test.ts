import { afterEach, beforeEach, expect, test } from 'bun:test';
import { fstatSync } from 'node:fs';
import { createUploadFiles } from '../../../src/http/upload.ts';
import { createWorkerUploads } from '../../../src/server/workers/upload-files.ts';
import { createTemporaryFolder } from '../../support/temporary.ts';

let folder: ReturnType<typeof createTemporaryFolder>;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const refusal = expect.objectContaining({ code: 'service_unavailable' });

/** Returns whether a descriptor belongs to an open file. */
function isOpen(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

test('files at all threads share one bound, and a worker that dies frees its own', () => {
  const main = createUploadFiles(folder.path);
  const [first, second] = [createWorkerUploads(main), createWorkerUploads(main)];
  first.open(7n);
  main.open(7n);
  expect(() => second.open(7n)).toThrow(refusal);
  const eighth = first.open(8n);
  second.open(9n);
  expect(() => main.open(7n)).toThrow(refusal);
  first.end();
  second.open(8n);
  const tenth = second.open(10n);
  expect(() => main.open(11n)).toThrow(refusal);
  second.free(tenth);
  // Freed once already, when its worker died.
  first.free(eighth);
  main.open(11n);
  expect(() => main.open(12n)).toThrow(refusal);
});

test('files of a worker that dies are closed, except those that it has handed over', () => {
  const main = createUploadFiles(folder.path);
  const worker = createWorkerUploads(main);
  const [arriving, broken, forwarded] = [worker.open(1n), worker.open(2n), worker.open(3n)];
  worker.close(broken);
  expect([arriving, broken, forwarded].map(isOpen)).toEqual([true, false, true]);
  worker.handOver(forwarded);
  worker.end();
  expect([arriving, broken, forwarded].map(isOpen)).toEqual([false, false, true]);
  // Messages that it sent before it died may come late, when its numbers are those of other files.
  const reused = main.open(4n);
  expect(reused).toBe(Math.min(arriving, broken));
  worker.close(reused);
  expect(() => worker.handOver(reused)).toThrow('has ended');
  expect(() => worker.open(5n)).toThrow('has ended');
  expect(isOpen(reused)).toBe(true);
  main.close(reused);
  main.close(forwarded);
});
