import { categoryOptions, useCategories } from '../../categories.ts';
import { QueryField } from '../../components/field.tsx';
import { type AnimalFilter, STATUS_OPTIONS } from './filter.ts';

/** The longest name. */
const NAME_MAX = 255;
const ALL = { value: '', label: 'All' };

/** Search and filters. What they say is in the address. */
export function Toolbar({ filter: { categoryId } }: { readonly filter: AnimalFilter }) {
  useCategories();
  const categories = [ALL, ...categoryOptions(categoryId)];
  return (
    <search class="toolbar">
      <QueryField
        type="search"
        name="q"
        label="Search animals"
        placeholder="Name or number"
        maxLength={NAME_MAX}
      />
      <QueryField type="select" name="status" label="Status" options={[ALL, ...STATUS_OPTIONS]} />
      <QueryField type="select" name="category" label="Category" options={categories} />
    </search>
  );
}
