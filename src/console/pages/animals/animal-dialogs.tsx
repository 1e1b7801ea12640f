import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { readId } from '../../int64.ts';
import { failureOf, useLoaded } from '../../loading.ts';
import { notify } from '../../notices.ts';
import { carryOut } from '../../outbox.ts';
import { closeDialog, query } from '../../router.ts';
import { type Pet, store } from '../../service.ts';
import { may } from '../../session.ts';
import { AnimalFields, readAnimal } from './animal-fields.tsx';
import { editAnimal } from './change-animal.ts';
import { currentFilter } from './filter.ts';
import { HistoryDialog } from './history-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

interface AnimalDialogsProps {
  /** Called when the list may have to be loaded again. */
  readonly onAdded: () => void;
}

/** The dialog in the address, if any: `open=add`, or `animal=12` and perhaps `open=edit`. */
export function AnimalDialogs({ onAdded }: AnimalDialogsProps) {
  const open = query.value.get('open');
  const animal = query.value.get('animal');
  if (open === 'add' && may('write')) return <AddDialog onAdded={onAdded} />;
  if (animal === null) return null;
  return <LoadedDialog key={`${open} ${animal}`} animal={animal} open={open} />;
}

function close() {
  closeDialog({ animal: undefined, open: undefined });
}

interface LoadedDialogProps {
  readonly animal: string;
  readonly open: string | null;
}

/** A dialog about one animal, which is read again for it: the list may be older. */
function LoadedDialog({ animal, open }: LoadedDialogProps) {
  const { value, error, reload } = useLoaded((signal) => findAnimal(animal, signal), []);
  if (value === null) return <GoneDialog />;
  if (value === undefined) {
    return (
      <Dialog title="Animal" onClose={close}>
        {error ? <ErrorState error={error} retry={reload} /> : <LoadingState />}
      </Dialog>
    );
  }
  if (open === 'edit' && may('write')) return <EditDialog pet={value} />;
  if (open === 'remove' && may('write')) return <RemoveDialog pet={value} onClose={close} />;
  return <HistoryDialog pet={value} onClose={close} />;
}

/** Reads an animal; null if there is none with this id. */
async function findAnimal(id: string, signal: AbortSignal): Promise<Pet | null> {
  try {
    return await store.pets.get(readId(id) ?? 0, { signal });
  } catch (error) {
    if (failureOf(error).code !== 'pet_not_found') throw error;
    return null;
  }
}

function GoneDialog() {
  return (
    <Dialog title="This animal is no longer here" onClose={close}>
      <p>Somebody has removed it.</p>
      <div class="dialog-actions">
        <button type="button" class="button primary" onClick={close}>
          OK
        </button>
      </div>
    </Dialog>
  );
}

function AddDialog({ onAdded }: AnimalDialogsProps) {
  async function add(form: FormData): Promise<void> {
    const values = await readAnimal(form);
    await carryOut({
      label: `Add ${values.name}`,
      send: (idempotencyKey) => store.pets.create(values, { idempotencyKey }),
      done({ name }) {
        notify(`${name} was added.`);
        onAdded();
      },
    });
  }
  return (
    <FormDialog title="Add animal" action="Add animal" onSubmit={add} onClose={close}>
      <AnimalFields pet={{ ...currentFilter(), name: '' }} />
    </FormDialog>
  );
}

function EditDialog(props: { readonly pet: Pet }) {
  // What the person sees in the fields, also if it is loaded again meanwhile: else a change of
  // somebody else would be undone without a question.
  const [pet] = useState(props.pet);
  return (
    <FormDialog
      title={`Edit ${pet.name}`}
      action="Save"
      onSubmit={async (form) => editAnimal(pet, await readAnimal(form))}
      onClose={close}
    >
      <AnimalFields pet={pet} />
    </FormDialog>
  );
}
