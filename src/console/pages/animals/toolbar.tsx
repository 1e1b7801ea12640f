import { categoryOptions, useCategories } from '../../categories.ts';
import { Select } from '../../components/field.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { setQuery } from '../../router.ts';
import { type AnimalFilter, STATUS_OPTIONS } from './filter.ts';

/** The longest name. */
const NAME_MAX = 255;
const ALL = { value: '', label: 'All' };

/** Search and filters. What they say is in the address. */
export function Toolbar({ filter }: { readonly filter: AnimalFilter }) {
  useCategories();
  return (
    <search class="toolbar">
      <SearchField
        id="animal-search"
        label="Search animals"
        placeholder="Name or number"
        value={filter.name ?? ''}
        maxLength={NAME_MAX}
      />
      <Select
        label="Status"
        name="status"
        value={filter.status ?? ''}
        options={[ALL, ...STATUS_OPTIONS]}
        onValue={(status) => setQuery({ status, page: undefined })}
      />
      <Select
        label="Category"
        name="category"
        value={String(filter.categoryId ?? '')}
        options={[ALL, ...categoryOptions(filter.categoryId)]}
        onValue={(category) => setQuery({ category, page: undefined })}
      />
    </search>
  );
}
