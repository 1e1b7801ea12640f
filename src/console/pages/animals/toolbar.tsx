import { useEffect, useRef } from 'preact/hooks';
import { categoryOptions, useCategories } from '../../categories.ts';
import { Select } from '../../components/field.tsx';
import { useTyping } from '../../components/typing.ts';
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
      <SearchField name={filter.name ?? ''} />
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

/** Finds animals by a part of their name, or by their number, while it is typed. */
function SearchField({ name }: { readonly name: string }) {
  const input = useRef<HTMLInputElement>(null);
  const searched = useRef(name);

  useEffect(() => {
    // The address has changed otherwise: by the back button, or by "Clear filters".
    if (name !== searched.current && input.current) input.current.value = name;
    searched.current = name;
  }, [name]);

  function search(text: string) {
    if (text === searched.current) return;
    // One step back leads out of the search, not through its letters.
    const step = searched.current === '' ? 'push' : 'replace';
    searched.current = text;
    setQuery({ q: text, page: undefined }, step);
  }
  const searchSoon = useTyping(search);

  return (
    <div class="field animal-search">
      <label for="animal-search">Search animals</label>
      <input
        ref={input}
        id="animal-search"
        type="search"
        defaultValue={name}
        maxLength={NAME_MAX}
        placeholder="Name or number"
        autoComplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => searchSoon(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) =>
          key === 'Enter' && search(currentTarget.value.trim())
        }
      />
    </div>
  );
}
