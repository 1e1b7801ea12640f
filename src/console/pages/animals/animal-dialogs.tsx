import { useRef, useState } from 'preact/hooks';
import { SPECIES } from '../../../domain/profile.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, InAddress } from '../../components/dialog.tsx';
import { DecimalField, Field, type Options, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { todayHere } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { notify } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { query, readId } from '../../router.ts';
import { known, type Pet, type ProfileChange, store } from '../../service.ts';
import { may } from '../../session.ts';
import { addPhotoTo, PHOTO_FILES } from '../animal/add-photos.tsx';
import { askAboutAge, BirthDate, birthDateAt, readBirthDate } from '../animal/birth-date.tsx';
import { ProfileInput, readField } from '../animal/profile-inputs.tsx';
import { AnimalFields, readAnimal } from './animal-fields.tsx';
import { editAnimal } from './change-animal.ts';
import { currentFilter } from './filter.ts';

/** The dialog in the address, if any: `open=add`, or `open=edit` with `animal=12`. */
export function AnimalDialogs() {
  const animal = query.value.get('animal');
  if (!may('write')) return null;
  return (
    <InAddress name="open" also={['animal']}>
      {(open) =>
        open === 'add' ? (
          <AddDialog />
        ) : (
          open === 'edit' && animal !== null && <LoadedDialog key={animal} animal={animal} />
        )
      }
    </InAddress>
  );
}

/** The animal is read again for its dialog: the list may be older. */
function LoadedDialog({ animal }: { readonly animal: string }) {
  const loaded = useLoaded((signal) => store.pets.get(readId(animal) ?? 0, { signal }), []);
  if (loaded.error?.code === 'pet_not_found') {
    return (
      <Dialog title={t`This animal is no longer here`}>
        <p>{t`Somebody has removed it.`}</p>
      </Dialog>
    );
  }
  if (loaded.value) return <EditDialog pet={loaded.value} />;
  return (
    <Dialog title={t`Animal`}>
      <WhenLoaded from={loaded}>{() => null}</WhenLoaded>
    </Dialog>
  );
}

/** All that is known when an animal arrives. "Add another" asks again, for an animal of the same kind. */
function AddDialog() {
  const [kind, setKind] = useState<AnimalKind>({ ...currentFilter(), round: 0 });
  const wantsAnother = useRef(false);

  async function add(read: ReadField, form: FormData): Promise<void> {
    const first = readFirst(read);
    await askAboutAge(first, read('birthYear') === '' ? 'age' : 'birthYear');
    const photo = form.get('photo');
    const values = await readAnimal(read);
    await submit({
      label: t`Add ${values.name}`,
      call: (to) => to.pets.create(values),
      async done(pet) {
        const { id, name } = pet;
        notify(t`${name} was added.`, undefined, `/console/animals/${id}`);
        if (Object.keys(first).length > 0) await describe(id, name, first);
        if (!(photo instanceof File) || photo.size === 0) return;
        const reason = await addPhotoTo(pet, photo);
        if (reason) notify(t`The photo of ${name} was not added. ${reason}`);
      },
    });
    const { categoryId, status } = values;
    const { round } = kind;
    // Another form takes the place of this one, which then does not close the dialog.
    if (wantsAnother.current)
      setKind({ categoryId, status, species: first.species, round: round + 1 });
    wantsAnother.current = false;
  }

  return (
    <FormDialog
      key={kind.round}
      title={t`Add animal`}
      action={t`Add animal`}
      of={kind}
      onSubmit={add}
      aside={
        <Button
          onClick={({ currentTarget: { form } }) => {
            wantsAnother.current = form?.checkValidity() === true;
            form?.requestSubmit();
          }}
        >{t`Add and start another`}</Button>
      }
    >
      <AnimalFields
        onCategory={(name) => setKind({ ...kind, species: speciesNamed(name) ?? kind.species })}
      />
      <FirstFields species={kind.species} />
    </FormDialog>
  );
}

/** What the next animal has in common with the one before. */
interface AnimalKind {
  readonly categoryId?: Pet['categoryId'];
  readonly status?: Pet['status'];
  readonly species?: ProfileChange['species'];
  /** Each animal has a form of its own. */
  readonly round: number;
}

/** Notes what is known of an animal that was just added. */
async function describe(id: Pet['id'], name: string, first: ProfileChange): Promise<void> {
  await submit({
    label: t`Describe ${name}`,
    call: (to) => to.pets.updateProfile(id, first),
  });
}

/** Changes the name, the category and the status of an animal. */
export function EditDialog({ pet }: { readonly pet: Pet }) {
  return (
    <FormDialog<Pet>
      title={t`Edit ${pet.name}`}
      of={pet}
      onSubmit={async (read, _, seen) => editAnimal(seen, await readAnimal(read))}
    >
      <AnimalFields />
    </FormDialog>
  );
}

const UNITS: Options = [
  ['years', t`years`],
  ['months', t`months`],
];

/** What is known of a new arrival: the rest is on its page. */
function FirstFields({ species = null }: Pick<ProfileChange, 'species'>) {
  return (
    <>
      <ProfileInput name="species" value={species} />
      <ProfileInput name="sex" />
      <BirthDate>
        <fieldset class="field field-row">
          <legend>{t`Age, about`}</legend>
          <DecimalField label={t`How many`} name="age" max={200} />
          <Select label={t`Unit`} name="ageUnit" value="years" options={UNITS} />
          <p class="hint">{t`Leave it empty if it is not known.`}</p>
        </fieldset>
      </BirthDate>
      <ProfileInput name="microchip" />
      <ProfileInput name="location" />
      <ProfileInput name="inCareSince" value={todayHere()} />
      <Field label={t`Photo`} name="photo" more={{ type: 'file', ...PHOTO_FILES }} />
    </>
  );
}

/** Returns the species that a category is named after: `Dogs`, `Small mammals`. */
function speciesNamed(category: string): ProfileChange['species'] {
  const name = category.toLowerCase().replace(/s$/, '');
  return SPECIES.find((one) => one.replaceAll('_', ' ') === name);
}

/** Returns what is known of the animal. */
function readFirst(read: ReadField): ProfileChange {
  return known({
    ...readField('species', read),
    ...readField('sex', read),
    ...(read('birthYear') === ''
      ? birthDateAt(read('age'), read('ageUnit'))
      : readBirthDate(read, {})),
    ...readField('microchip', read),
    ...readField('location', read),
    // The service has today by itself.
    inCareSince: read('inCareSince') === todayHere() ? undefined : read('inCareSince'),
  });
}
