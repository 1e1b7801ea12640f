import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ask, Dialog } from '../../components/dialog.tsx';
import { isLost } from '../../connection.ts';
import { explain, failureOf } from '../../failures.ts';
import { count, formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import type { Pet, PetstoreError } from '../../service.ts';
import { userError } from './change-animal.ts';

/** The wait after a refusal that names none. */
const PAUSE_S = 5;

/** What is done to several animals. */
interface Work {
  /** What is being done: `Changing the status of 12 animals`. */
  readonly title: string;
  readonly pets: readonly Pet[];
  /** Does it to one. Throws a `PetstoreError`. */
  act(pet: Pet): Promise<unknown>;
}

/**
 * Does something to several animals and shows how far it is. If all of it could be done, the dialog
 * closes by itself. Returns the animals that it was done to.
 */
export function runWork(work: Work): Promise<readonly Pet[]> {
  return ask((answer) => <RunDialog work={work} onEnd={answer} />);
}

interface RunDialogProps {
  readonly work: Work;
  readonly onEnd: (done: readonly Pet[]) => void;
}

function RunDialog({ work, onEnd }: RunDialogProps) {
  const [run, setRun] = useState(() => new Run(work, work.pets, []));
  // Read, so that each step is shown.
  const { pause, isRunning } = run.state.value;
  const { done, refused, left } = run;
  const isWhole = !isRunning && refused.length + left.length === 0;
  const total = work.pets.length;

  const end = () => onEnd(done);
  const again = () => setRun(new Run(work, [...refused.map(({ pet }) => pet), ...left], done));
  useEffect(() => {
    if (isWhole) end();
  }, [isWhole]);

  const rest = [
    refused.length > 0 && t`${formatNumber(refused.length)} not done`,
    left.length > 0 && t`${formatNumber(left.length)} not tried`,
  ].filter(Boolean);
  return (
    <Dialog title={work.title} onClose={() => (isRunning ? run.stop() : end())}>
      <progress aria-label={t`Progress`} max={total} value={done.length + refused.length} />
      <p role="status">
        {pause ??
          `${t`${formatNumber(done.length)} of ${count(total, 'animal')} done.`}${isRunning || isWhole ? '' : ` ${rest.join(', ')}.`}`}
      </p>
      <ul class="run-steps">
        {refused.map(({ pet, reason }) => (
          <li key={pet.id}>
            <span>{pet.name}</span> <small class="problem">{reason}</small>
          </li>
        ))}
      </ul>
      <div class="row dialog-actions">
        {isRunning ? (
          <Button onClick={run.stop}>{t`Stop`}</Button>
        ) : (
          <>
            <Button onClick={again}>{t`Try the rest again`}</Button>
            <Button kind="primary" onClick={end}>{t`OK`}</Button>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** A run in progress, or one that has ended. Many animals are not copied at each step. */
class Run {
  readonly done: Pet[];
  readonly refused: { readonly pet: Pet; readonly reason: string }[] = [];
  /** Those that are still to do. */
  readonly left: Pet[];
  readonly state = signal<{ readonly isRunning: boolean; readonly pause?: string }>({
    isRunning: true,
  });
  readonly #ending = new AbortController();

  constructor(work: Work, pets: readonly Pet[], done: readonly Pet[]) {
    this.done = [...done];
    this.left = pets.toReversed();
    void this.#carryOut(work);
  }

  /** Ends after the animal at hand. */
  readonly stop = () => this.#ending.abort();

  async #carryOut({ act }: Work): Promise<void> {
    for (let pet = this.left.at(-1); pet && !this.#ending.signal.aborted; pet = this.left.at(-1)) {
      try {
        await act(pet);
        this.done.push(pet);
      } catch (error) {
        const failure = failureOf(error);
        if (await this.#waitAfter(failure)) continue;
        this.refused.push({ pet, reason: explain(userError(pet, failure)) });
      }
      this.left.pop();
      this.state.value = { isRunning: true };
    }
    this.state.value = { isRunning: false };
  }

  /** Waits until another try may succeed. Returns false if none can. */
  async #waitAfter({ code, status, retryAfter }: PetstoreError): Promise<boolean> {
    const { signal: ending } = this.#ending;
    const isGone = code === 'connection_lost' || code === 'timeout';
    if (!isGone && status !== 429 && status !== 503) return false;
    const reason = status === 429 ? t`Too many requests were sent.` : t`The service is busy.`;
    // A lost response does not always mean a lost connection.
    for (let left = isGone ? 1 : (retryAfter ?? PAUSE_S); left > 0; left--) {
      if (isGone && isLost.value) left++;
      const pause = isGone
        ? t`The service cannot be reached. Continuing when it is back.`
        : t`${reason} Continuing in ${left} s.`;
      this.state.value = { isRunning: true, pause };
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      if (ending.aborted) break;
    }
    return true;
  }
}
