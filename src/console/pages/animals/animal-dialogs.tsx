import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { announce } from '../../live.ts';
import { useLoaded } from '../../loading.ts';
import { notify } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { closeDialog, query, readId } from '../../router.ts';
import { type Pet, store } from '../../service.ts';
import { may } from '../../session.ts';
import { AnimalFields, readAnimal } from './animal-fields.tsx';
import { editAnimal } from './change-animal.ts';
import { currentFilter } from './filter.ts';
import { History } from './history.tsx';

/** The dialog in the address, if any: `open=add`, or `animal=12` and perhaps `open=edit`. */
export function AnimalDialogs() {
  const open = query.value.get('open');
  const animal = query.value.get('animal');
  if (open === 'add' && may('write')) return <AddDialog />;
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
  const loaded = useLoaded((signal) => store.pets.get(readId(animal) ?? 0, { signal }), []);
  const { value, error } = loaded;
  if (value && open === 'edit' && may('write')) return <EditDialog pet={value} />;
  if (error?.code === 'pet_not_found') {
    return (
      <Dialog title="This animal is no longer here" onClose={close}>
        <p>Somebody has removed it.</p>
      </Dialog>
    );
  }
  return (
    <Dialog title={value ? `History of ${value.name}` : 'Animal'} onClose={close}>
      <WhenLoaded from={loaded}>{(pet) => <History pet={pet} />}</WhenLoaded>
    </Dialog>
  );
}

function AddDialog() {
  async function add(read: ReadField): Promise<void> {
    const values = await readAnimal(read);
    await submit({
      label: `Add ${values.name}`,
      call: (to) => to.pets.create(values),
      done({ id, name }) {
        notify(`${name} was added.`, undefined, `/console/animals?animal=${id}`);
        announce('pet.created');
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
      onSubmit={async (read) => editAnimal(pet, await readAnimal(read))}
      onClose={close}
    >
      <AnimalFields pet={pet} />
    </FormDialog>
  );
}
