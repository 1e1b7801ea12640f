import { useState } from 'preact/hooks';
import { categories, categoryOptions, hasAllCategories, noteCategories } from '../../categories.ts';
import { Field, Select, useShown } from '../../components/field.tsx';
import type { ReadField } from '../../components/form.tsx';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { readId } from '../../router.ts';
import { type Category, type Int64, type Pet, store } from '../../service.ts';
import { STATUS_OPTIONS, STATUSES } from './filter.ts';

/** The choice in the list of categories that asks for a name. */
const NEW = 'new';

interface AnimalFieldsProps {
  /** Called with the name of each category that is chosen. */
  readonly onCategory?: ((name: string) => void) | undefined;
}

/** The fields of the animal of the form, or of one to add. */
export function AnimalFields({ onCategory }: AnimalFieldsProps) {
  const { id, status = 'available' } = useShown<Pet>();
  const [name, setName] = useState('');
  const namesakes = useNamesakes(id === undefined ? name : '');
  return (
    <>
      <Field name="name" maxLength={255} hint={namesakes} needs={t`a name`} onTyped={setName} />
      <CategoryField onCategory={onCategory} />
      <Select name="status" value={status} options={STATUS_OPTIONS} />
    </>
  );
}

const collator = new Intl.Collator('en', { sensitivity: 'base' });

/** Says that there are animals of this name already: it may be the same one. */
function useNamesakes(name: string): string | undefined {
  const { value = [] } = useLoaded(
    async (signal) => (name === '' ? [] : (await store.pets.list({ name }, { signal })).items),
    [name],
  );
  const same = value.filter((pet) => collator.compare(pet.name, name) === 0);
  if (same.length === 0) return undefined;
  const them = same.map(({ id }) => t`number ${id}`).join(', ');
  return t`There is ${same[0]?.name} already: ${them}. Add this one if it is another animal.`;
}

/** A choice of a category, or of a new one: the first animal of a shop has none to choose. */
export function CategoryField({ onCategory }: AnimalFieldsProps) {
  const { categoryId: current } = useShown<Pet>();
  const [chosen, setChosen] = useState<string>();
  const options = categoryOptions(current);
  const isEmpty = categories.value?.length === 0 && current === undefined;
  const value = chosen ?? (isEmpty ? NEW : String(current ?? ''));
  return (
    <>
      <Select
        label={t`Category`}
        name="category"
        value={value}
        options={[
          ...(value === '' ? [['', t`Choose a category`] as const] : []),
          ...options,
          [NEW, hasAllCategories.value ? t`New category…` : t`Another category…`],
        ]}
        onValue={(id) => {
          setChosen(id);
          onCategory?.(new Map(options).get(id) ?? '');
        }}
        check={(text) => (text === '' ? t`Choose a category.` : undefined)}
      />
      {value === NEW && (
        <Field
          label={hasAllCategories.value ? t`Name of the new category` : t`Name of the category`}
          name="newCategory"
          hint={t`The kind of animal: Dog, Cat, Rabbit`}
          maxLength={100}
          needs={t`a name for the category`}
        />
      )}
    </>
  );
}

/** Reads a form. Adds the category if it is new: throws a `PetstoreError` if that is refused. */
export async function readAnimal(read: ReadField) {
  const status = STATUSES.find((one) => one === read('status')) ?? 'available';
  return { name: read('name'), status, categoryId: await readCategory(read) };
}

/** Reads the category of a form, and adds it if there is none of that name. */
export async function readCategory(read: ReadField): Promise<Int64> {
  const id = readId(read('category'));
  if (id !== undefined) return id;
  const name = read('newCategory');
  const isNamed = (one: Category) => one.name.toLowerCase() === name.toLowerCase();
  const category = categories.value?.find(isNamed) ?? (await addCategory(name));
  noteCategories([category]);
  return category.id;
}

function addCategory(name: string): Promise<Category> {
  return store.categories.create({ name }).catch(async (error) => {
    // Somebody else has just added it, or there are too many to list.
    const { items } =
      error.code === 'conflict' ? await store.categories.list({ name }) : { items: [] };
    return items[0] ?? Promise.reject(error);
  });
}
