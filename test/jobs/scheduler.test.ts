import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { unavailable } from '../../src/domain/failure.ts';
import { DEAD_MS } from '../../src/jobs/lease.ts';
import { every, Scheduler, type Task } from '../../src/jobs/scheduler.ts';
import { openSubject, type Subject } from '../storage/subject.ts';
import { createTestClock, type TestClock } from '../support/clock.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually, eventuallyIs } from '../support/eventually.ts';

let subject: Subject;
let clock: TestClock;
let log: string[];
let begun: string[];
let isFenced: boolean;
const schedulers: Scheduler[] = [];
/** The hands of the monotonic clock, and what each scheduler does at its intervals. */
let monotonic: number;
const calls = new Set<{ readonly everyMs: number; call(): void }>();

beforeEach(async () => {
  subject = await openSubject(chosenEngine());
  clock = createTestClock();
  [log, begun, isFenced, monotonic] = [[], [], false, 0];
});
afterEach(async () => {
  await Promise.all(schedulers.splice(0).map((each) => each.end()));
  calls.clear();
  await subject[Symbol.asyncDispose]();
});

const time = {
  now: () => monotonic,
  every(everyMs: number, call: () => void) {
    const each = { everyMs, call };
    calls.add(each);
    return () => void calls.delete(each);
  },
  soon: (call: () => void) => void setImmediate(call),
};

function startProcess(holder: string, { storage } = subject as Pick<Subject, 'storage'>) {
  const scheduler = new Scheduler({
    ...{ storage: storage.tasks, clock, time, holder },
    isFenced: () => isFenced,
    log: { error: (message, error) => log.push(`${message}: ${error}`) },
  });
  schedulers.push(scheduler);
  return scheduler;
}

/** Lets seconds pass on every clock, one after the other. */
async function pass(seconds: number): Promise<void> {
  for (let n = 0; n < seconds; n++) {
    clock.advance(SECOND_MS);
    monotonic += SECOND_MS;
    for (const { everyMs, call } of [...calls]) if (monotonic % everyMs === 0) call();
    for (let turn = 0; turn < 5; turn++) {
      await subject.storage.tasks.list();
      await new Promise((done) => setImmediate(done));
    }
  }
}

function task(by: string, run: Task['run'] = async () => {}, parts: Partial<Task> = {}): Task {
  return {
    ...{ name: 'tidying', what: 'tidy up', dueAt: every(HOUR_MS) },
    run(signal) {
      begun.push(by);
      return run(signal);
    },
    ...parts,
  };
}
const known = async () => (await subject.storage.tasks.list())[0];

describe('a task', () => {
  test('is done at once, then at its interval, and says so to every process', async () => {
    const scheduler = startProcess('one');
    const other = startProcess('two', subject);
    scheduler.add(task('one'));
    await eventually(known, (record) => typeof record?.dueAt === 'number');
    const [record] = scheduler.report();
    const ended = clock.now();
    expect(record).toMatchObject({ holder: 'one', succeededAt: ended, dueAt: ended + HOUR_MS });
    await pass(3_599);
    expect(begun).toEqual(['one']);
    await pass(1);
    await eventuallyIs(() => begun.length, 2);
    await pass(15);
    expect(other.report()[0]?.succeededAt).toBe(ended + HOUR_MS);
  });

  test('is done by one of two processes, and by the other when that has died', async () => {
    await using another = await subject.another();
    const hangs = Promise.withResolvers<void>();
    const one = startProcess('one');
    one.add(task('one', () => hangs.promise));
    await eventuallyIs(() => begun.length, 1);
    const beating = [...calls];
    startProcess('two', another).add(task('two'));
    await pass(20);
    expect(begun).toEqual(['one']);
    // Its process is gone: nothing of it happens any more.
    for (const each of beating) calls.delete(each);
    await pass(DEAD_MS / SECOND_MS - 2);
    expect(begun).toEqual(['one']);
    await pass(5);
    await eventuallyIs(() => begun.join(), 'one,two');
    await eventually(known, (record) => record?.succeededAt !== null);
    hangs.resolve();
    await one.end();
    expect(await known()).toMatchObject({ holder: 'two', failures: 0 });
  });

  test('that fails waits longer each time, is logged once, and says why', async () => {
    let problem: Error | undefined = new Error('there are 12 files too many');
    const scheduler = startProcess('one');
    const dueAt = every(DAY_MS, [10 * SECOND_MS, MINUTE_MS]);
    scheduler.add(
      task('one', () => (problem ? Promise.reject(problem) : Promise.resolve()), { dueAt }),
    );
    await eventually(known, (record) => record?.failures === 1);
    await pass(9);
    problem = new Error('there are 13 files too many');
    await pass(1);
    await eventually(known, (record) => record?.failures === 2);
    await pass(59);
    expect(begun).toHaveLength(2);
    await pass(1);
    await eventually(known, (record) => record?.failures === 3);
    expect(log).toEqual(['could not tidy up; trying again: Error: there are 12 files too many']);
    expect((await known())?.problem).toBe('there are 13 files too many');
    problem = undefined;
    await pass(60);
    await eventually(known, (record) => record?.failures === 0);
    expect(await known()).toMatchObject({ problem: null, succeededAt: clock.now() });
  });

  test('is given back at the end of its process, with no failure', async () => {
    const scheduler = startProcess('one');
    const stopped = (signal: AbortSignal) =>
      new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('stopped'))),
      );
    scheduler.add(task('one', stopped));
    await eventuallyIs(() => begun.length, 1);
    await scheduler.end();
    expect(await known()).toMatchObject({ heartbeat: 0n, endedAt: null, failures: 0 });
    expect(log).toEqual([]);
    startProcess('two').add(task('two'));
    await eventuallyIs(() => begun.join(), 'one,two');
  });

  test('is stopped when another process has taken it', async () => {
    const signals: AbortSignal[] = [];
    const ends = Promise.withResolvers<void>();
    startProcess('one').add(
      task('one', (signal) => {
        signals.push(signal);
        return ends.promise;
      }),
    );
    await eventuallyIs(() => begun.length, 1);
    await subject.storage.tasks.take('tidying', 'two', await known(), clock.now());
    await pass(2);
    await eventually(() => signals[0]?.aborted, Boolean);
    ends.resolve();
    expect(await known()).toMatchObject({ holder: 'two', heartbeat: 1n });
  });

  test('is forgotten once the attempt under way has ended', async () => {
    const hangs = Promise.withResolvers<void>();
    const scheduler = startProcess('one');
    scheduler.add(task('one', () => hangs.promise));
    await eventuallyIs(() => begun.length, 1);
    const removed = scheduler.remove('tidying');
    hangs.resolve();
    await removed;
    expect(await known()).toBeUndefined();
  });

  test('waits while the database has moved or cannot be reached, which is logged once', async () => {
    isFenced = true;
    let isDown = true;
    const { tasks } = subject.storage;
    const list = () => (isDown ? Promise.reject(unavailable('down')) : tasks.list());
    const storage = { ...subject.storage, tasks: { ...tasks, list } };
    startProcess('one', { storage }).add(task('one'));
    await pass(5);
    isFenced = false;
    await pass(5);
    expect([begun, log.length]).toEqual([[], 1]);
    isDown = false;
    await pass(1);
    await eventuallyIs(() => begun.length, 1);
  });
});

test('a clock that is set back does not put a task off', () => {
  const now = createTestClock().now();
  const times = { startedAt: now, endedAt: now, succeededAt: now };
  const last = { name: 'x', turn: 1n, heartbeat: 0n, holder: 'one', ...times };
  const record = { ...last, failures: 0, problem: null, dueAt: null };
  expect(every(HOUR_MS)(record, now - DAY_MS)).toBe(now - DAY_MS);
  expect(every(HOUR_MS)(record, now - MINUTE_MS)).toBe(now + HOUR_MS);
  expect(every(HOUR_MS)(undefined, now)).toBe(now);
});
