/** Loading what a page shows, and again when somebody changes it. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type EventType, onChange } from './live.ts';
import { PetstoreError } from './service.ts';

/** Loads after changes start at most this often: an import makes thousands of them. */
const TOGETHER_MS = 250;

/** What a page has loaded. */
export interface Loaded<T> {
  /** The newest value; it stays while a newer one is loaded, or cannot be. */
  readonly value: T | undefined;
  /** Why there is no newer value. */
  readonly error: PetstoreError | undefined;
  readonly isLoading: boolean;
  /** Loads again. */
  readonly reload: () => void;
}

interface State<T> {
  readonly value?: T | undefined;
  readonly error?: PetstoreError | undefined;
  readonly isLoading: boolean;
}

/**
 * Loads a value: at first, when one of `inputs` changes, and after changes of these types. `load`
 * gets a signal that aborts when its result is no longer wanted.
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  types: readonly EventType[] = [],
): Loaded<T> {
  const [state, setState] = useState<State<T>>({ isLoading: true });
  const running = useRef<AbortController | undefined>(undefined);
  const isRunning = useRef(false);

  const reload = useCallback(() => {
    running.current?.abort();
    running.current = new AbortController();
    const { signal } = running.current;
    isRunning.current = true;
    setState((before) => ({ ...before, isLoading: true }));
    const finish = (next: (before: State<T>) => State<T>) => {
      if (signal.aborted) return;
      isRunning.current = false;
      setState(next);
    };
    load(signal).then(
      (value) => finish(() => ({ value, isLoading: false })),
      (cause) => finish(({ value }) => ({ value, error: failureOf(cause), isLoading: false })),
    );
    // The inputs stand for what `load` closes over.
  }, inputs);

  useEffect(() => {
    reload();
    return () => running.current?.abort();
  }, [reload]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const schedule = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        // A load that runs may have missed the change, but to end it could go on for ever.
        if (isRunning.current) schedule();
        else reload();
      }, TOGETHER_MS);
    };
    const end = onChange(types, schedule);
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [reload, types.join()]);

  return { value: state.value, error: state.error, isLoading: state.isLoading, reload };
}

/** Returns an error with a message for a person. */
export function failureOf(cause: unknown): PetstoreError {
  if (cause instanceof PetstoreError) return cause;
  console.error(cause);
  return new PetstoreError('Something went wrong in this page. Reload it.', {
    ...{ code: 'internal_error', cause },
  });
}
