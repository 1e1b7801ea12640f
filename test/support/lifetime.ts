import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test';

type Closable = Disposable | AsyncDisposable;

/** Opens something before each test of a group and closes it after that. It is only there while a test runs. */
export function forEachTest<T extends Closable>(open: () => T | Promise<T>): T {
  return during(open, beforeEach, afterEach);
}

/** Opens something once for all tests of a group. It is only there while they run. */
export function forAllTests<T extends Closable>(open: () => T | Promise<T>): T {
  return during(open, beforeAll, afterAll);
}

function during<T extends Closable>(
  open: () => T | Promise<T>,
  before: (begin: () => Promise<void>) => void,
  after: (end: () => Promise<void>) => void,
): T {
  let opened: T | undefined;
  before(async () => {
    opened = await open();
  });
  after(async () => {
    if (opened === undefined) return;
    if (Symbol.asyncDispose in opened) await opened[Symbol.asyncDispose]();
    else opened[Symbol.dispose]();
    opened = undefined;
  });
  const current = () => {
    if (opened === undefined) throw new Error('It is only there while a test runs');
    return opened;
  };
  // Stands for what is open now, with all its members.
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(current(), name),
    set: (_, name, value) => Reflect.set(current(), name, value),
  });
}
