import { useEffect, useRef } from 'preact/hooks';
import { useCategories } from '../../categories.ts';
import { Select } from '../../components/field.tsx';
import { setQuery } from '../../router.ts';
import { categoryOptions } from './category-options.ts';
import { type AnimalFilter, STATUS_OPTIONS } from './filter.ts';

/** The search waits until the person stops typing. */
const TYPING_PAUSE_MS = 250;
/** The longest name. */
const NAME_MAX = 255;
const ALL = { value: '', label: 'All' };

/** Search and filters. What they say is in the address. */
export function Toolbar({ filter }: { readonly filter: AnimalFilter }) {
  useCategories();
  return (
    <search class="toolbar animal-filters">
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

/** Finds animals by a part of their name, while it is typed. */
function SearchField({ name }: { readonly name: string }) {
  const input = useRef<HTMLInputElement>(null);
  const searched = useRef(name);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    // The address has changed otherwise: by the back button, or by "Clear filters".
    if (name !== searched.current && input.current) input.current.value = name;
    searched.current = name;
  }, [name]);
  useEffect(() => () => clearTimeout(timer.current), []);

  function search() {
    clearTimeout(timer.current);
    const text = input.current?.value.trim() ?? '';
    if (text === searched.current) return;
    // One step back leads out of the search, not through its letters.
    const step = searched.current === '' ? 'push' : 'replace';
    searched.current = text;
    setQuery({ q: text, page: undefined }, step);
  }

  function searchSoon() {
    clearTimeout(timer.current);
    timer.current = setTimeout(search, TYPING_PAUSE_MS);
  }

  return (
    <div class="field animal-search">
      <label for="animal-search">Search animals</label>
      <input
        ref={input}
        id="animal-search"
        type="search"
        defaultValue={name}
        maxLength={NAME_MAX}
        placeholder="Name"
        autoComplete="off"
        spellcheck={false}
        onInput={searchSoon}
        onKeyDown={({ key }) => key === 'Enter' && search()}
      />
    </div>
  );
}
