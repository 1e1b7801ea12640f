import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { LimitRules } from '../../src/domain/allowance.ts';
import type { Caller } from '../../src/domain/api-key.ts';
import { createThreadLimiter, type LimitMemory } from '../../src/limits/local.ts';
import { createSlots } from '../../src/limits/slots.ts';

/** What a thread is to charge. */
export interface ChargeOrder {
  readonly memory: LimitMemory;
  readonly slot: number;
  readonly rules: LimitRules;
  readonly now: number;
  readonly caller: Caller;
  /** Charges of the key, and as many of one address. */
  readonly charges: number;
}

/** What a thread was granted. */
export interface Charged {
  readonly byKey: number;
  readonly byAddress: number;
  /** What remained after each charge of the key that was granted. */
  readonly remainders: readonly number[];
}

/** A thread that charges as fast as it can. */
export interface ChargingThread extends AsyncDisposable {
  readonly ready: Promise<void>;
  charge(): Promise<Charged>;
}

export function startThread(thread: number, order: ChargeOrder): ChargingThread {
  const worker = new Worker(new URL(import.meta.url), { workerData: { thread, order } });
  const next = <T>() =>
    new Promise<T>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  return {
    ready: next<void>(),
    charge() {
      const charged = next<Charged>();
      worker.postMessage('charge');
      return charged;
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

async function chargeAll(thread: number, order: ChargeOrder): Promise<Charged> {
  const { memory, slot, rules, now, caller, charges } = order;
  const unused = async () => {
    throw new Error('only the main thread does this');
  };
  const allocator = { slotOf: async () => slot, flush: unused, report: unused };
  const slots = createSlots(memory.keys, thread);
  const limiter = createThreadLimiter(memory, slots, thread, allocator, rules);
  const remainders: number[] = [];
  let byAddress = 0;
  for (let n = 0; n < charges; n++) {
    const ofKey = await limiter.charge(caller, now);
    if (ofKey.refusal === undefined) remainders.push(ofKey.quota.minute.remaining);
    const ofAddress = await limiter.chargeAddress('192.0.2.1', now);
    if (ofAddress.refusal === undefined) byAddress++;
  }
  return { byKey: remainders.length, byAddress, remainders };
}

if (!isMainThread && workerData?.order !== undefined) {
  const { thread, order } = workerData;
  parentPort?.once('message', async () => {
    parentPort?.postMessage(await chargeAll(thread, order));
  });
  parentPort?.postMessage('ready');
}
