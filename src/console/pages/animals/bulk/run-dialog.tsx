import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../../../components/dialog.tsx';
import { count, formatNumber } from '../../../format.ts';
import { ask } from '../../../questions.ts';
import type { Pet } from '../../../service.ts';
import { type Run, type Step, type StepState, startRun, type Work } from './run.ts';

const WORDS: Readonly<Record<StepState, string>> = {
  waiting: 'Waiting',
  running: 'Working…',
  done: 'Done',
  refused: 'Not done',
  stopped: 'Not tried',
};

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
  const [runs, setRuns] = useState<readonly Run[]>(() => [startRun(work)]);
  const run = runs.at(-1) as Run; // There is always a first one.
  const steps = run.steps.value;
  const isRunning = run.isRunning.value;
  const left = petsIn(steps, 'refused', 'stopped');
  const isWhole = !isRunning && left.length === 0;

  const end = () => onEnd(runs.flatMap((one) => petsIn(one.steps.value, 'done')));
  const close = () => (isRunning ? run.stop() : end());
  const again = () => setRuns([...runs, startRun({ ...work, pets: left })]);
  useEffect(() => {
    if (isWhole) end();
  }, [isWhole]);

  return (
    <Dialog title={work.title} onClose={close}>
      <progress
        class="run-progress"
        aria-label="Progress"
        max={steps.length}
        value={steps.length - petsIn(steps, 'waiting', 'running').length}
      />
      <p role="status">{run.pause.value ?? summaryOf(steps, isRunning)}</p>
      <ul class="run-steps">
        {steps.map((step) => (
          <StepRow key={step.pet.id} step={step} />
        ))}
      </ul>
      <div class="dialog-actions">
        {isRunning ? (
          <button type="button" class="button" onClick={run.stop}>
            Stop
          </button>
        ) : (
          <>
            <button type="button" class="button" onClick={again}>
              Try the rest again
            </button>
            <button type="button" class="button primary" onClick={end}>
              OK
            </button>
          </>
        )}
      </div>
    </Dialog>
  );
}

function StepRow({ step: { pet, state, reason } }: { readonly step: Step }) {
  return (
    <li data-state={state}>
      <span>{pet.name}</span>
      <small>{reason ?? WORDS[state]}</small>
    </li>
  );
}

function petsIn(steps: readonly Step[], ...states: readonly StepState[]): readonly Pet[] {
  return steps.filter(({ state }) => states.includes(state)).map(({ pet }) => pet);
}

/** `9 of 12 done`, and at the end what was not. */
function summaryOf(steps: readonly Step[], isRunning: boolean): string {
  const done = `${formatNumber(petsIn(steps, 'done').length)} of ${count(steps.length, 'animal')} done.`;
  const refused = petsIn(steps, 'refused').length;
  const stopped = petsIn(steps, 'stopped').length;
  if (isRunning || refused + stopped === 0) return done;
  const rest = [refused > 0 && `${refused} not done`, stopped > 0 && `${stopped} not tried`];
  return `${done} ${rest.filter(Boolean).join(', ')}.`;
}
