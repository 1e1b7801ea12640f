/** The categories to choose from. */
import { categories, categoryName } from '../../categories.ts';
import type { SelectOption } from '../../components/field.tsx';
import type { Int64 } from '../../service.ts';

/** Returns all categories as choices, and `current` even if it has no name. */
export function categoryOptions(current: Int64 | undefined): readonly SelectOption[] {
  const all = categories.value ?? [];
  const options = all.map(({ id, name }) => ({ value: String(id), label: name }));
  if (current === undefined || all.some(({ id }) => id === current)) return options;
  return [...options, { value: String(current), label: categoryName(current) || '…' }];
}
