/**
 * A value that is here already or will come. The embedded database answers at once and must not
 * pay for a promise (a turn of the event loop for each request); a remote one answers later.
 */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Like `after`, for the way that every request takes: `next` gets what it needs besides as its first
 * argument, so it is one function for all of them and nothing is made for each.
 */
export function thenWith<T, C, R>(
  value: MaybePromise<T>,
  context: C,
  next: (context: C, value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise
    ? value.then((come) => next(context, come))
    : next(context, value);
}

/** Goes on with `next` at once where the value is here, else when it comes. */
export function thenDo<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
