/** What is asked of an animal beside its name, when it is added. */
import { SPECIES } from '../../../domain/profile.ts';
import { Field, Select } from '../../components/field.tsx';
import type { ReadField } from '../../components/form.tsx';
import type { ProfileChange } from '../../service.ts';
import { birthDateAt } from '../animal/birth-date.tsx';
import { ProfileInput, readField } from '../animal/profile-inputs.tsx';

const UNITS = ['years', 'months'].map((value) => ({ value, label: value }));

/** Species, sex and age: what people who want to adopt ask first. */
export function FirstFields({ species = null }: Pick<ProfileChange, 'species'>) {
  return (
    <>
      <ProfileInput name="species" profile={{ species }} />
      <ProfileInput name="sex" profile={{}} />
      <fieldset class="field field-row">
        <legend>Age, about</legend>
        <Field
          label="Number"
          name="age"
          type="number"
          min={0}
          max={200}
          more={{ step: 'any', inputMode: 'decimal' }}
        />
        <Select label="Unit" name="ageUnit" value="years" options={UNITS} />
        <p class="hint">Leave it empty if it is not known.</p>
      </fieldset>
    </>
  );
}

/** Returns the species that a category is named after: `Dogs`, `Small mammals`. */
export function speciesNamed(category: string): ProfileChange['species'] {
  const name = category.toLowerCase().replace(/s$/, '');
  return SPECIES.find((one) => one.replaceAll('_', ' ') === name);
}

/** Returns what is known of the animal. */
export function readFirst(read: ReadField): ProfileChange {
  const { species } = readField('species', read);
  const { sex } = readField('sex', read);
  return {
    ...(species && { species }),
    ...(sex && { sex }),
    ...birthDateAt(read('age'), read('ageUnit')),
  };
}
