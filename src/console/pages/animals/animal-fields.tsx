import { useState } from 'preact/hooks';
import { categories, noteCategory, useCategories } from '../../categories.ts';
import { Field, Select } from '../../components/field.tsx';
import { readId } from '../../int64.ts';
import {
  type Category,
  type Int64,
  type Pet,
  type PetStatus,
  PetstoreError,
  store,
} from '../../service.ts';
import { categoryOptions } from './category-options.ts';
import { STATUS_OPTIONS, STATUSES } from './filter.ts';

const NAME_MAX = 255;
const CATEGORY_NAME_MAX = 100;
/** The choice in the list of categories that asks for a name. */
const NEW = 'new';

/** The fields of an animal. Without one, those of an animal to add. */
export function AnimalFields({ pet }: { readonly pet?: Partial<Pet> | undefined }) {
  return (
    <>
      <Field
        label="Name"
        name="name"
        value={pet?.name ?? ''}
        maxLength={NAME_MAX}
        check={(value) => (value.trim() === '' ? 'Enter a name.' : undefined)}
      />
      <CategoryField current={pet?.categoryId} />
      <Select
        label="Status"
        name="status"
        value={pet?.status ?? 'available'}
        options={STATUS_OPTIONS}
      />
    </>
  );
}

/** A choice of a category, or of a new one: the first animal of a shop has none to choose. */
export function CategoryField({ current }: { readonly current?: Int64 | undefined }) {
  useCategories();
  const [chosen, setChosen] = useState<string>();
  const options = categoryOptions(current);
  const isEmpty = categories.value?.length === 0 && current === undefined;
  const value = chosen ?? (isEmpty ? NEW : String(current ?? ''));
  return (
    <>
      <Select
        label="Category"
        name="category"
        value={value}
        options={[
          ...(value === '' ? [{ value: '', label: 'Choose a category' }] : []),
          ...options,
          { value: NEW, label: 'New category…' },
        ]}
        onValue={setChosen}
        check={(text) => (text === '' ? 'Choose a category.' : undefined)}
      />
      {value === NEW && (
        <Field
          label="Name of the new category"
          name="newCategory"
          hint="The kind of animal: Dog, Cat, Rabbit"
          maxLength={CATEGORY_NAME_MAX}
          check={(text) => (text.trim() === '' ? 'Enter a name for the category.' : undefined)}
        />
      )}
    </>
  );
}

/** What a form says of an animal. */
export interface AnimalValues {
  readonly name: string;
  readonly status: PetStatus;
  readonly categoryId: Int64;
}

/** Reads a form. Adds the category if it is new: throws a `PetstoreError` if that is refused. */
export async function readAnimal(form: FormData): Promise<AnimalValues> {
  const status = STATUSES.find((one) => one === form.get('status')) ?? 'available';
  return { name: textIn(form, 'name'), status, categoryId: await readCategory(form) };
}

/** Reads the category of a form, and adds it if there is none of that name. */
export async function readCategory(form: FormData): Promise<Int64> {
  const id = readId(textIn(form, 'category'));
  if (id !== undefined) return id;
  const name = textIn(form, 'newCategory');
  const isNamed = (one: Category) => one.name.toLowerCase() === name.toLowerCase();
  const existing = categories.value?.find(isNamed);
  if (existing !== undefined) return existing.id;
  try {
    const category = await store.categories.create({ name });
    noteCategory(category);
    return category.id;
  } catch (error) {
    if (!(error instanceof PetstoreError) || error.code !== 'conflict') throw error;
    const text = `There is already a category “${name}”. Choose it from the list.`;
    throw new PetstoreError(text, error);
  }
}

function textIn(form: FormData, name: string): string {
  return String(form.get(name) ?? '').trim();
}
