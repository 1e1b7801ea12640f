import { signal } from '@preact/signals';
import { bringBack } from '../../audit-lines.tsx';
import { confirm } from '../../components/dialog.tsx';
import { Explained, explain, failureOf } from '../../failures.ts';
import { t } from '../../language.ts';
import { announce } from '../../live.ts';
import { notify } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { navigate } from '../../router.ts';
import {
  type Pet,
  type PetChange,
  type PetStatus,
  type PetstoreError,
  store,
} from '../../service.ts';
import { statusName, statusWord } from '../../words.ts';

/** A status that was chosen here. */
interface Chosen {
  readonly status: PetStatus;
  /** Becomes the animal as it is afterwards: the next change waits for it. */
  readonly change: Promise<Pet>;
  readonly isDone: boolean;
}

/** What was chosen here, by animal. It is shown at once, until a list is loaded that has it. */
const chosen = signal<ReadonlyMap<Pet['id'], Chosen>>(new Map());

function note(id: Pet['id'], one: Chosen): void {
  chosen.value = new Map(chosen.value).set(id, one);
}

/** Returns the status that was chosen for an animal, if a list may not have it yet. */
export function chosenStatus({ id }: Pet): PetStatus | undefined {
  return chosen.value.get(id)?.status;
}

/** Forgets what a list has that was just loaded. */
export function forgetChosen(): void {
  chosen.value = new Map([...chosen.peek()].filter(([, { isDone }]) => !isDone));
}

/** Changes a status and tells the person, who can undo it. */
export async function changeStatus(pet: Pet, status: PetStatus): Promise<void> {
  const before = chosen.value.get(pet.id)?.change ?? Promise.resolve(pet);
  const change = before.then((current) => changeStatusNow(current, status));
  note(pet.id, { status, change, isDone: false });
  const after = await change;
  if (chosen.value.get(pet.id)?.change !== change) return;
  note(pet.id, { status: after.status, change, isDone: true });
}

/** Returns the animal as it is afterwards. */
async function changeStatusNow(pet: Pet, status: PetStatus): Promise<Pet> {
  let after = pet;
  if (pet.status === status) return after;
  try {
    await sendStatus(pet, status, (changed) => {
      after = changed;
      // Else the person has chosen somebody else's version.
      if (changed.status === status) tellStatus(pet, changed);
    });
  } catch (error) {
    const failure = userError(pet, error);
    if (failure.code === 'pet_not_found') notify(failure.message);
    else notify(t`${pet.name} is still ${statusWord(pet.status)}. ${explain(failure)}`);
  }
  return after;
}

/** Sends a status. If it cannot be sent, it is listed as not sent yet. */
function sendStatus(pet: Pet, status: PetStatus, done: (changed: Pet) => void): Promise<boolean> {
  return submit<Pet>({
    label: `${pet.name}: ${statusName(status)}`,
    call: (to) => to.pets.update(pet.id, { status }),
    edits: { seen: pet, name: pet.name },
    done,
  });
}

function tellStatus({ status }: Pet, changed: Pet): void {
  const undo = () =>
    sendStatus(changed, status, (restored) => {
      const change = Promise.resolve(restored);
      note(restored.id, { status: restored.status, change, isDone: true });
      if (restored.status === status) notify(t`${changed.name} is ${statusWord(status)} again.`);
    });
  notify(t`${changed.name} is now ${statusWord(changed.status)}.`, undo);
}

/** Changes an animal as a form says. Throws a `PetstoreError` that says what to do. */
export async function editAnimal(seen: Pet, values: PetChange): Promise<void> {
  try {
    await submit<Pet>({
      label: t`Edit ${seen.name}`,
      call: (to) => to.pets.update(seen.id, values),
      edits: { seen, name: seen.name },
      says: ({ name }) => t`${name} was saved.`,
    });
  } catch (error) {
    throw userError(seen, error);
  }
}

/** Removes an animal after a question. If an adoption holds it, it offers to show that. Returns whether it is done. */
export async function removeAnimal(pet: Pet): Promise<boolean> {
  const { id, name } = pet;
  try {
    return await submit({
      label: t`Remove ${name}`,
      asks: {
        title: t`Remove ${name}?`,
        text: t`It can be brought back for 30 days.`,
        action: t`Remove`,
      },
      call: (to) => to.pets.delete(id),
      done: () => notify(t`${name} was removed.`, () => bringBack(pet)),
    });
  } catch (error) {
    const failure = userError(pet, error);
    const title = t`${name} was not removed`;
    if (failure.code !== 'conflict') {
      notify(`${title}. ${explain(failure)}`);
      return failure.code === 'pet_not_found';
    }
    const question = { title, text: failure.message, action: t`Show the adoption` };
    if (!(await confirm({ ...question, isHarmless: true }))) return false;
    // The order that holds an animal is the newest one for it.
    const { items } = await store.orders.list({ petId: id, sort: 'newest', limit: 1 });
    navigate(`/console/adoptions?order=${items[0]?.id}`);
    return false;
  }
}

/** Returns an error about an animal with a message for a person. */
export function userError({ name }: Pet, error: unknown): PetstoreError {
  const failure = failureOf(error);
  switch (failure.code) {
    case 'pet_not_found':
      announce('pets');
      return new Explained(t`Somebody else has removed ${name}.`, failure);
    case 'precondition_failed':
      return new Explained(t`Somebody else has changed ${name}.`, failure);
    case 'conflict': {
      const text = t`An open adoption holds ${name}. Complete or cancel it first.`;
      return new Explained(text, failure);
    }
    default:
      return failure;
  }
}
