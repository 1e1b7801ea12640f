import { expect, test } from 'bun:test';
import { createSharedUploadSlots } from '../../src/workers/upload-slots.ts';

const refusal = expect.objectContaining({ code: 'service_unavailable' });

test('files at all workers share one bound, and a worker that dies frees its own', async () => {
  const { calls, freeHeldBy } = createSharedUploadSlots();
  const take = async (worker: number, sender: bigint) => calls.takeUpload({ worker, sender });
  await take(1, 7n);
  await take(2, 7n);
  await expect(take(1, 7n)).rejects.toEqual(refusal);
  await take(1, 8n);
  await take(2, 9n);
  await expect(take(2, 10n)).rejects.toEqual(refusal);
  freeHeldBy(1);
  await take(2, 7n);
  await take(2, 10n);
  await expect(take(1, 11n)).rejects.toEqual(refusal);
  calls.freeUpload({ worker: 2, sender: 10n });
  // Freed once already, when its worker died.
  calls.freeUpload({ worker: 1, sender: 8n });
  await take(1, 11n);
  await expect(take(1, 12n)).rejects.toEqual(refusal);
});
