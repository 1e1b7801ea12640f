import { useEffect, useRef } from 'preact/hooks';
import { setQuery } from '../router.ts';
import { useTyping } from './typing.ts';

interface SearchFieldProps {
  readonly id: string;
  readonly label: string;
  readonly placeholder: string;
  /** What is searched for now, as `q` in the address. */
  readonly value: string;
  readonly maxLength: number;
}

/** Searches a list while it is typed. What is searched for is `q` in the address. */
export function SearchField({ id, label, value, ...attributes }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const searched = useRef(value);

  useEffect(() => {
    // The address has changed otherwise: by the back button, or by "Clear filters".
    if (value !== searched.current && input.current) input.current.value = value;
    searched.current = value;
  }, [value]);

  function search(text: string) {
    if (text === searched.current) return;
    // One step back leads out of the search, not through its letters.
    const step = searched.current === '' ? 'push' : 'replace';
    searched.current = text;
    setQuery({ q: text, page: undefined }, step);
  }
  const searchSoon = useTyping(search);

  return (
    <div class="field search-field">
      <label for={id}>{label}</label>
      <input
        {...attributes}
        ref={input}
        id={id}
        type="search"
        defaultValue={value}
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
