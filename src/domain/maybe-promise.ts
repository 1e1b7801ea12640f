/**
 * A value, or a promise of it. The embedded database returns values, so that no request pays for a
 * promise (a turn of the event loop); a remote database returns promises.
 */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Like `thenDo`, for the path of every request: `next` also gets `context`, so one function serves
 * all requests and none allocates a closure.
 */
export function thenWith<T, C, R>(
  value: MaybePromise<T>,
  context: C,
  next: (context: C, value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise
    ? value.then((settled) => next(context, settled))
    : next(context, value);
}

/** Calls `next` with the value: at once, or when the promise resolves. */
export function thenDo<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Calls `work` with `context`. If it throws or rejects, returns what `recover` makes of the error. */
export function recoverWith<T, C>(
  work: (context: C) => MaybePromise<T>,
  context: C,
  recover: (context: C, error: unknown) => T,
): MaybePromise<T> {
  try {
    const value = work(context);
    return value instanceof Promise ? value.catch((error) => recover(context, error)) : value;
  } catch (error) {
    return recover(context, error);
  }
}
