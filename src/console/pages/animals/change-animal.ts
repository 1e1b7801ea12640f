/** Changing and removing animals. */
import { categoryName } from '../../categories.ts';
import { changeRecord, type RecordField } from '../../changes.ts';
import { explain } from '../../components/error-state.tsx';
import { statusName } from '../../components/status.tsx';
import { failureOf } from '../../loading.ts';
import { notify } from '../../notices.ts';
import { type Pet, type PetChange, type PetStatus, PetstoreError, store } from '../../service.ts';
import { newest, noteAnimal, noteRemoval } from './newest.ts';

const STATUS_FIELD: RecordField<Pet> = {
  label: 'Status',
  show: ({ status }) => statusName(status),
};
const FIELDS: readonly RecordField<Pet>[] = [
  { label: 'Name', show: ({ name }) => name },
  { label: 'Category', show: ({ categoryId }) => categoryName(categoryId) },
  STATUS_FIELD,
];

/** The change of status under way for each animal: the next one waits for it. */
const underWay = new Map<Pet['id'], Promise<void>>();

/** Changes the status of an animal. Tells the person, who can undo it. */
export function changeStatus(pet: Pet, status: PetStatus): Promise<void> {
  const before = underWay.get(pet.id) ?? Promise.resolve();
  const all = before.then(() => changeStatusNow(newest(pet.id) ?? pet, status));
  underWay.set(pet.id, all);
  return all.finally(() => {
    if (underWay.get(pet.id) === all) underWay.delete(pet.id);
  });
}

async function changeStatusNow(pet: Pet, status: PetStatus): Promise<void> {
  if (pet.status === status) return;
  // Shown at once, and put back if it cannot be done.
  noteAnimal({ ...pet, status });
  try {
    const isDone = await sendStatus(pet, status, (changed) => tellStatus(pet, changed, status));
    if (!isDone) noteAnimal(pet);
  } catch (error) {
    noteAnimal(pet);
    tellRefusal(pet, error, `${pet.name} is still ${pet.status}.`);
  }
}

/** Sends a status. Returns whether it is done: if not, it is listed as not sent yet. */
function sendStatus(pet: Pet, status: PetStatus, done: (changed: Pet) => void): Promise<boolean> {
  return changeRecord<Pet>({
    label: `${pet.name}: ${statusName(status)}`,
    name: pet.name,
    seen: pet,
    wanted: { status },
    fields: [STATUS_FIELD],
    read: () => store.pets.get(pet.id),
    update: ({ status: wanted }, seen) => updateStatus(seen, wanted ?? status),
    done,
  });
}

/** Changes the status unless somebody else has: a new name, for instance, is no conflict. */
async function updateStatus(seen: Pet, status: PetStatus): Promise<Pet> {
  try {
    return await store.pets.update(seen.id, { status }, { ifMatch: seen });
  } catch (error) {
    if (failureOf(error).code !== 'precondition_failed') throw error;
    const current = await store.pets.get(seen.id);
    if (current.status !== seen.status) throw error;
    return store.pets.update(seen.id, { status }, { ifMatch: current });
  }
}

function tellStatus(before: Pet, changed: Pet, wanted: PetStatus): void {
  noteAnimal(changed);
  // The person has chosen somebody else's version.
  if (changed.status !== wanted) return;
  notify(`${changed.name} is now ${changed.status}.`, async () => {
    const { status } = before;
    await sendStatus(changed, status, (restored) => {
      noteAnimal(restored);
      if (restored.status === status) notify(`${changed.name} is ${status} again.`);
    });
  });
}

/** Changes an animal as a form says. Throws a `PetstoreError` that says what to do. */
export async function editAnimal(seen: Pet, wanted: PetChange): Promise<void> {
  try {
    await changeRecord<Pet>({
      label: `Edit ${seen.name}`,
      name: seen.name,
      seen,
      // A field that the form leaves as it is, is not sent.
      wanted: changedFields(seen, wanted),
      fields: FIELDS,
      read: () => store.pets.get(seen.id),
      update: (change, ifMatch) => store.pets.update(seen.id, change, { ifMatch }),
      done(changed) {
        noteAnimal(changed);
        notify(`${changed.name} was saved.`);
      },
    });
  } catch (error) {
    if (failureOf(error).code === 'pet_not_found') noteRemoval(seen.id);
    throw inWords(seen, error);
  }
}

function changedFields(seen: Pet, wanted: PetChange): Partial<Pet> {
  // A form has no field that animals have not.
  return Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => seen[field as keyof PetChange] !== value),
  );
}

/** Tells why a change of an animal was refused, and what holds instead. */
function tellRefusal(pet: Pet, error: unknown, state: string): void {
  const failure = inWords(pet, error);
  if (failure.code === 'pet_not_found') {
    noteRemoval(pet.id);
    notify(failure.message);
  } else notify(`${state} ${explain(failure)}`);
}

/** Returns an error about an animal with a message for a person. */
export function inWords({ name }: Pet, error: unknown): PetstoreError {
  const failure = failureOf(error);
  if (failure.code === 'pet_not_found') {
    return new PetstoreError(`Somebody else has removed ${name}.`, failure);
  }
  if (failure.code === 'precondition_failed') {
    return new PetstoreError(`Somebody else has changed ${name}.`, failure);
  }
  if (failure.code === 'conflict') {
    const text = `An open adoption holds ${name}. Complete or cancel the order first.`;
    return new PetstoreError(text, failure);
  }
  return failure;
}
