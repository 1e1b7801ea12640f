/** Loading what a page shows, and again when somebody changes it. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isAway } from './connection.ts';
import { failureOf } from './failures.ts';
import { isOf, reloadAfter, type Topic } from './live.ts';
import type { Event, Int64, PetstoreError } from './service.ts';
import { person } from './session.ts';

/** What a page has loaded. */
export interface Loaded<T> {
  /** The newest value; it stays while a newer one is loaded, or if the same cannot be loaded again. */
  readonly value: T | undefined;
  /** Why there is no newer value. */
  readonly error: PetstoreError | undefined;
  readonly isLoading: boolean;
  /** Loads again. */
  readonly reload: () => void;
}

/** When to load again, apart from changes of some topics. */
export interface ReloadOptions<T = unknown> {
  /** Milliseconds between two loads. One is left out while another runs or the tab is hidden. */
  readonly everyMs?: number;
  /** Ends the loads of `everyMs` once it no longer holds for the value. */
  readonly whileIt?: (value: T) => boolean;
  /** Whether an event of these topics changes the value; by default each does. */
  readonly concerns?: ((event: Event) => boolean) | undefined;
}

/** `inputs` are those that the value and the error were loaded for. */
type State<T> = Partial<Loaded<T>> & { readonly inputs?: readonly unknown[] };

/**
 * Loads a value: at first, when one of `inputs` changes, and after changes of these topics. `load`
 * gets a signal that aborts when its result is no longer wanted.
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  topics: readonly Topic[] = [],
  { everyMs, whileIt, concerns }: ReloadOptions<T> = {},
): Loaded<T> {
  const [state, setState] = useState<State<T>>({});
  const running = useRef<AbortController | undefined>(undefined);
  const isRunning = useRef(false);
  const latest = useRef(concerns);
  latest.current = concerns;

  const reload = useCallback(() => {
    running.current?.abort();
    running.current = new AbortController();
    const { signal } = running.current;
    isRunning.current = true;
    setState((before) => ({
      ...before,
      isLoading: true,
      error: before.inputs === inputs ? before.error : undefined,
    }));
    const finish = (next: (before: State<T>) => Pick<State<T>, 'value' | 'error'>) => {
      if (signal.aborted) return;
      isRunning.current = false;
      setState((before) => ({ ...next(before), isLoading: false, inputs }));
    };
    load(signal).then(
      (value) => finish(() => ({ value })),
      (cause) =>
        // A value of other inputs would pass for that of these.
        finish((before) => ({
          value: before.inputs === inputs ? before.value : undefined,
          error: failureOf(cause),
        })),
    );
    // `load` closes over the inputs and nothing else.
  }, inputs);

  useEffect(() => {
    reload();
    return () => running.current?.abort();
  }, [reload]);

  const { value, error, isLoading = true } = state;
  const isPolled = everyMs !== undefined && (!whileIt || (value !== undefined && whileIt(value)));
  useEffect(() => {
    const concernsNow = (event: Event | undefined) =>
      event === undefined || (latest.current?.(event) ?? true);
    const end = reloadAfter(topics, reload, () => isRunning.current, concernsNow);
    const poll = () => {
      if (!isRunning.current && !document.hidden && !isAway.value && person.value) reload();
    };
    const timer = isPolled ? setInterval(poll, everyMs) : undefined;
    return () => {
      end();
      clearInterval(timer);
    };
  }, [reload, topics.join(), isPolled]);

  return { value, error, isLoading, reload };
}

/** Loads what belongs to an animal, and again after changes of it. */
export function useOfAnimal<T>(
  id: Int64,
  load: (signal: AbortSignal) => Promise<T>,
  topics: readonly Topic[],
): Loaded<T> {
  return useLoaded(load, [id], topics, { concerns: isOf(id) });
}
