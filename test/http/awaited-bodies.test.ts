import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Failure } from '../../src/domain/failure.ts';
import { type AwaitedRules, createAwaitedBodies } from '../../src/http/awaited-bodies.ts';
import { createTestTime } from '../support/test-time.ts';

const TIMEOUT_MS = 1_000;

/** Arriving bodies, and how each of them ended, in that order. */
function createBodies(bounds: Omit<AwaitedRules, 'timeoutMs'> = {}) {
  const time = createTestTime();
  const awaited = createAwaitedBodies({ timeoutMs: TIMEOUT_MS, ...bounds }, time);
  const ends: string[] = [];
  const started: string[] = [];

  /** Starts a body. */
  function start(name: string, sender = 1n) {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const read = () => {
      started.push(name);
      return promise;
    };
    Promise.try(() => awaited.wait(sender, read)).then(
      (bytes) => ends.push(`${name} came: ${bytes.length}`),
      (failure) => ends.push(`${name}: ${describeFailure(failure)}`),
    );
    return {
      come: (length = 1) => resolve(new Uint8Array(length)),
      fail: (error: unknown) => reject(error),
    };
  }
  return { time, ends, started, start, awaited };
}

function describeFailure(failure: unknown): string {
  if (!(failure instanceof Failure)) return String(failure);
  const { code, message, details } = failure;
  return `${code}${details.endsConnection ? ', and the end' : ''}: ${message}`;
}

const LATE = 'invalid_request, and the end: The body must arrive within 1 s; nothing was changed.';
const TOO_MANY =
  'service_unavailable, and the end: Too many requests are waiting for their bodies;';
const CUT_OFF = 'invalid_request: The connection ended before the body did.';

/** Lets all settled promises run their callbacks. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('arriving bodies', () => {
  test('that are late in the same sweep are refused in the order in which they started', async () => {
    const { time, ends, start } = createBodies();
    for (const name of ['a', 'b', 'c']) start(name);
    time.advance(TIMEOUT_MS - 1);
    await settled();
    expect(ends).toEqual([]);
    time.advance(1);
    await settled();
    expect(ends).toEqual([`a: ${LATE}`, `b: ${LATE}`, `c: ${LATE}`]);
    expect(time.scheduled).toBe(1);
  });

  test('that complete between late ones are accepted', async () => {
    const { time, ends, start } = createBodies();
    start('a');
    const b = start('b');
    start('c');
    time.advance(TIMEOUT_MS / 2);
    b.come(3);
    await settled();
    time.advance(TIMEOUT_MS / 2);
    await settled();
    expect(ends).toEqual(['b came: 3', `a: ${LATE}`, `c: ${LATE}`]);
  });

  test('each have their own timeout, also after the first completed', async () => {
    const { time, ends, start } = createBodies();
    const a = start('a');
    time.advance(400);
    start('b');
    time.advance(400);
    start('c');
    a.come();
    await settled();
    time.advance(599);
    await settled();
    expect(ends).toEqual(['a came: 1']);
    time.advance(1);
    await settled();
    expect(ends).toEqual(['a came: 1', `b: ${LATE}`]);
    time.advance(399);
    await settled();
    expect(ends).toHaveLength(2);
    time.advance(1);
    await settled();
    expect(ends.at(-1)).toBe(`c: ${LATE}`);
  });

  test('that complete or break after a refusal change nothing', async () => {
    const { time, ends, start } = createBodies();
    const bodies = [start('a'), start('b')];
    time.advance(TIMEOUT_MS);
    bodies[0]?.come();
    bodies[1]?.fail(new Error('broken'));
    await settled();
    expect(ends).toEqual([`a: ${LATE}`, `b: ${LATE}`]);
  });

  test('are cut off when their connection ends; a read failure is passed on', async () => {
    const { time, ends, start } = createBodies();
    start('a').fail(new DOMException('The connection was closed.', 'AbortError'));
    start('b').fail(new Failure('body_too_large', 'Too large.'));
    await settled();
    time.advance(2 * TIMEOUT_MS);
    await settled();
    expect(ends).toEqual([`a: ${CUT_OFF}`, 'b: body_too_large: Too large.']);
  });

  test('need a timer only while one is awaited, or was when the timer started', async () => {
    const { time, ends, start } = createBodies();
    for (let i = 0; i < 100; i++) {
      start(String(i)).come();
      await settled();
      time.advance(5);
    }
    expect([time.scheduled, time.waiting]).toEqual([1, 1]);
    time.advance(500);
    expect([time.scheduled, time.waiting]).toEqual([1, 0]);
    start('late');
    time.advance(TIMEOUT_MS);
    await settled();
    expect([time.scheduled, time.waiting]).toEqual([2, 0]);
    expect(ends.at(-1)).toBe(`late: ${LATE}`);
  });

  test('in any order are refused exactly at their timeout, unless they completed before', async () => {
    const bodyOf = fc.record({
      startsAt: fc.integer({ min: 0, max: 5_000 }),
      takes: fc.integer({ min: 1, max: 2 * TIMEOUT_MS }),
      breaks: fc.boolean(),
    });
    const property = fc.asyncProperty(fc.array(bodyOf, { maxLength: 12 }), async (bodies) => {
      const { time, ends, start } = createBodies();
      const endings: string[] = [];
      const steps = bodies.flatMap(({ startsAt, takes, breaks }, index) => {
        let body: ReturnType<typeof start> | undefined;
        return [
          {
            at: startsAt,
            act() {
              body = start(String(index));
            },
          },
          { at: startsAt + takes, act: () => (breaks ? body?.fail('broken') : body?.come()) },
          // Shows whether it is refused at its timeout or only at another event.
          { at: startsAt + TIMEOUT_MS, act: () => {} },
        ];
      });
      for (const { at, act } of steps.sort((one, other) => one.at - other.at)) {
        time.advance(at - time.now());
        await settled();
        act();
        await settled();
        endings.push(...ends.splice(0).map((end) => `${end} at ${at}`));
      }
      const expected = bodies.map(({ startsAt, takes, breaks }, index) => {
        if (takes >= TIMEOUT_MS) return `${index}: ${LATE} at ${startsAt + TIMEOUT_MS}`;
        return `${index}${breaks ? `: ${CUT_OFF}` : ' came: 1'} at ${startsAt + takes}`;
      });
      expect(endings.toSorted()).toEqual(expected.toSorted());
      time.advance(TIMEOUT_MS);
      expect(time.waiting).toBe(0);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

describe('too many bodies', () => {
  /** The ends so far, with only the first clause of each message. */
  const short = (ends: readonly string[]) =>
    ends.map((end) => end.replace(/bodies; .*$/, 'bodies;'));

  test('of one sender are refused unread until one of them completes', async () => {
    const { ends, started, start, awaited } = createBodies({ maxPerSender: 2, maxInAll: 10 });
    const a = start('a');
    start('b');
    start('c');
    start('d', 2n);
    await settled();
    expect(short(ends)).toEqual([`c: ${TOO_MANY}`]);
    expect(started).toEqual(['a', 'b', 'd']);
    expect([awaited.count(), awaited.refused()]).toEqual([3, 1]);
    a.come();
    await settled();
    start('e');
    await settled();
    expect(short(ends)).toEqual([`c: ${TOO_MANY}`, 'a came: 1']);
    expect(awaited.count()).toBe(3);
  });

  test('in total cost the sender with the most its newest, never a sender with fewer', async () => {
    const { ends, start, awaited } = createBodies({ maxPerSender: 3, maxInAll: 5 });
    for (const name of ['a', 'b', 'c']) start(name, 1n);
    start('d', 2n);
    start('e', 2n);
    start('f', 3n);
    await settled();
    expect(short(ends)).toEqual([`c: ${TOO_MANY}`]);
    // One more would give this sender the most.
    start('g', 2n);
    await settled();
    expect(short(ends).slice(1)).toEqual([`g: ${TOO_MANY}`]);
    start('h', 4n);
    await settled();
    expect(short(ends).slice(2)).toEqual([`b: ${TOO_MANY}`]);
    expect([awaited.count(), awaited.refused()]).toEqual([5, 3]);
  });

  test('make room again after their timeout', async () => {
    const { time, ends, start, awaited } = createBodies({ maxPerSender: 1, maxInAll: 1 });
    start('a');
    time.advance(TIMEOUT_MS);
    start('b').come();
    await settled();
    expect(ends).toEqual([`a: ${LATE}`, 'b came: 1']);
    expect([awaited.count(), awaited.refused()]).toEqual([0, 0]);
  });

  test('from any senders: the bounds hold, and a sender with one body is never refused', async () => {
    const senders = fc.array(fc.bigInt({ min: 1n, max: 6n }), { maxLength: 60 });
    const property = fc.asyncProperty(senders, async (sequence) => {
      const { ends, start, awaited } = createBodies({ maxPerSender: 4, maxInAll: 8 });
      const held = new Map<string, bigint>();
      for (const [index, sender] of sequence.entries()) {
        const name = String(index);
        const own = [...held.values()].filter((other) => other === sender).length;
        held.set(name, sender);
        start(name, sender);
        await settled();
        for (const end of ends.splice(0)) held.delete(end.slice(0, end.indexOf(':')));
        expect(awaited.count()).toBe(held.size);
        expect(held.size).toBeLessThanOrEqual(8);
        // With six senders for eight bodies, one sender always has two.
        if (own === 0) expect(held.has(name)).toBe(true);
        expect(new Set(held.values()).size).toBe(new Set(sequence.slice(0, index + 1)).size);
      }
    });
    await fc.assert(property, { numRuns: 200 });
  });
});
