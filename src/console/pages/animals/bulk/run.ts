/** Doing the same to several animals, one after the other. */
import { effect, type Signal, signal } from '@preact/signals';
import { explain } from '../../../components/error-state.tsx';
import { isLost } from '../../../connection.ts';
import { failureOf } from '../../../loading.ts';
import type { Pet, PetstoreError } from '../../../service.ts';
import { inWords } from '../change-animal.ts';

/** The wait after a refusal that names none. */
const PAUSE_S = 5;

/** How far one animal has come. */
export type StepState = 'waiting' | 'running' | 'done' | 'refused' | 'stopped';

export interface Step {
  readonly pet: Pet;
  readonly state: StepState;
  /** Why it was refused. */
  readonly reason?: string;
}

/** What is done to several animals. */
export interface Work {
  /** What is going on: `Changing the status of 12 animals`. */
  readonly title: string;
  readonly pets: readonly Pet[];
  /** Does it to one. Throws a `PetstoreError`. */
  act(pet: Pet): Promise<void>;
}

/** A run in progress, or one that has ended. */
export interface Run {
  readonly work: Work;
  readonly steps: Signal<readonly Step[]>;
  /** Why it waits at the moment. */
  readonly pause: Signal<string | undefined>;
  readonly isRunning: Signal<boolean>;
  /** Ends after the animal at hand. */
  stop(): void;
}

/** Starts a run. */
export function startRun(work: Work): Run {
  const ending = new AbortController();
  const run: Run = {
    work,
    steps: signal(work.pets.map((pet) => ({ pet, state: 'waiting' }))),
    pause: signal(undefined),
    isRunning: signal(true),
    stop: () => ending.abort(),
  };
  void carryOn(run, ending.signal);
  return run;
}

async function carryOn(run: Run, ending: AbortSignal): Promise<void> {
  for (const [index, pet] of run.work.pets.entries()) {
    if (ending.aborted) break;
    mark(run, index, { pet, state: 'running' });
    mark(run, index, await actOn(run, pet, ending));
  }
  run.steps.value = run.steps.value.map((step) =>
    step.state === 'waiting' ? { ...step, state: 'stopped' } : step,
  );
  run.isRunning.value = false;
}

function mark(run: Run, index: number, step: Step): void {
  run.steps.value = run.steps.value.with(index, step);
}

/** Does it to one animal, again after waits that the service or the network asks for. */
async function actOn(run: Run, pet: Pet, ending: AbortSignal): Promise<Step> {
  for (;;) {
    try {
      await run.work.act(pet);
      return { pet, state: 'done' };
    } catch (error) {
      const failure = failureOf(error);
      if (!(await waitAfter(run, failure, ending))) {
        return { pet, state: 'refused', reason: explain(inWords(pet, failure)) };
      }
      if (ending.aborted) return { pet, state: 'stopped' };
    }
  }
}

/** Waits until another try may succeed. Returns false if none can. */
async function waitAfter(run: Run, failure: PetstoreError, ending: AbortSignal): Promise<boolean> {
  const { code, status, retryAfter } = failure;
  if (code === 'connection_lost' || code === 'timeout') {
    run.pause.value = 'The service cannot be reached. It goes on when it is back.';
    await untilReached(ending);
  } else if (status === 429 || status === 503) {
    for (let left = retryAfter ?? PAUSE_S; left > 0 && !ending.aborted; left--) {
      run.pause.value = `Your key has sent too many requests. It goes on in ${left} s.`;
      await second(ending);
    }
  } else return false;
  run.pause.value = undefined;
  return true;
}

/** Waits a second, or less if the run ends. */
function second(ending: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1_000);
    ending.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function untilReached(ending: AbortSignal): Promise<void> {
  // A lost response does not always mean a lost connection.
  await second(ending);
  await new Promise<void>((resolve) => {
    ending.addEventListener('abort', () => resolve(), { once: true });
    const end = effect(() => {
      if (!isLost.value) queueMicrotask(finish);
    });
    function finish() {
      end();
      resolve();
    }
  });
}
