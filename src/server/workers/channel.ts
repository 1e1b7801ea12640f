import { fromPortable, type PortableError, toPortable } from './portable-error.ts';

/** The side of a thread that messages go through: a worker, or the port of a worker to its parent. */
export interface MessagePort {
  postMessage(message: unknown, moved: ArrayBuffer[]): void;
  on(event: 'message', listener: (message: Message) => void): unknown;
}

/** The calls that one side answers. */
// biome-ignore lint/suspicious/noExplicitAny: the values differ from call to call
type Calls<T> = { readonly [N in keyof T]: (...values: any[]) => unknown };
type Values<T, N extends keyof T> = T[N] extends (...values: infer V) => unknown ? V : never;
type Reply<T, N extends keyof T> = T[N] extends (...values: never) => infer R ? Awaited<R> : never;

/** Everything that one side has to say at the end of a turn. */
interface Message {
  readonly calls: Call[];
  readonly replies: [id: number, value: unknown][];
  readonly errors: [id: number, error: PortableError][];
}

type Call = [id: number, name: string, values: readonly unknown[]];

/** The id of a call that nobody waits for. */
const UNANSWERED = 0;

/** Calls to the other side. */
export interface Channel<Remote> {
  /** Calls the other side. Rejects with the error that it throws, or if it ends. */
  call<N extends keyof Remote & string>(
    name: N,
    ...values: Values<Remote, N>
  ): Promise<Reply<Remote, N>>;
  /** Returns the function that calls the other side. */
  calling<N extends keyof Remote & string>(
    name: N,
  ): (...values: Values<Remote, N>) => Promise<Reply<Remote, N>>;
  /** Calls without waiting for a reply. */
  tell<N extends keyof Remote & string>(name: N, ...values: Values<Remote, N>): void;
  /** The memory goes to the other side with what is called in this turn, uncopied. */
  move(memory: ArrayBuffer): void;
  /** Rejects the calls under way: the other side has ended. */
  fail(error: unknown): void;
}

/**
 * Opens calls in both directions. A message costs 10 µs and more, so the calls and replies of one
 * turn of the event loop share one.
 */
export function openChannel<Local extends Calls<Local>, Remote>(
  port: MessagePort,
  local: Local,
): Channel<Remote> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let outgoing: Message | undefined;
  let moving: ArrayBuffer[] = [];
  let lastId = UNANSWERED;

  function send(): void {
    const message = outgoing;
    const moved = moving;
    outgoing = undefined;
    moving = [];
    port.postMessage(message, moved);
  }

  function nextMessage(): Message {
    if (outgoing !== undefined) return outgoing;
    outgoing = { calls: [], replies: [], errors: [] };
    setImmediate(send);
    return outgoing;
  }

  function answer(id: number, result: unknown): void {
    if (result instanceof Promise) {
      result.then(
        (value) => answer(id, value),
        (error) => refuse(id, error),
      );
    } else if (id !== UNANSWERED) nextMessage().replies.push([id, result]);
  }

  function refuse(id: number, error: unknown): void {
    nextMessage().errors.push([id, toPortable(error)]);
  }

  function settle(id: number): PromiseWithResolvers<unknown> | undefined {
    const call = waiting.get(id);
    waiting.delete(id);
    return call;
  }

  port.on('message', ({ calls, replies, errors }) => {
    for (const [id, name, values] of calls) {
      try {
        // The other side can only name calls of this type.
        answer(id, local[name as keyof Local](...values));
      } catch (error) {
        refuse(id, error);
      }
    }
    for (const [id, value] of replies) settle(id)?.resolve(value);
    for (const [id, error] of errors) settle(id)?.reject(fromPortable(error));
  });

  const call: Channel<Remote>['call'] = (name, ...values) => {
    const id = ++lastId;
    // The reply has the type that the other side declares for this call.
    const own = Promise.withResolvers<Reply<Remote, typeof name>>();
    waiting.set(id, own as PromiseWithResolvers<unknown>);
    nextMessage().calls.push([id, name, values]);
    return own.promise;
  };

  return {
    call,
    calling: (name) => call.bind(undefined, name) as ReturnType<Channel<Remote>['calling']>,
    tell: (name, ...values) => void nextMessage().calls.push([UNANSWERED, name, values]),
    move: (memory) => void moving.push(memory),
    fail(error) {
      const calls = [...waiting.values()];
      waiting.clear();
      for (const { reject } of calls) reject(error);
    },
  };
}
