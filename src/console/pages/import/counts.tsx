import { formatNumber } from '../../format.ts';
import type { Import } from '../../service.ts';

type Counts = Pick<
  Import,
  'created' | 'changed' | 'unchanged' | 'held' | 'skipped' | 'repeated' | 'rejected'
>;

const NAMES: Readonly<Record<keyof Counts, string>> = {
  created: 'Added',
  changed: 'Changed',
  unchanged: 'The same as before',
  held: 'Held by an open adoption',
  skipped: 'Left out',
  repeated: 'More than once in the file',
  rejected: 'Rejected',
};

/** What became of the rows of an import, without what did not happen. */
export function Counts({ of }: { readonly of: Counts }) {
  // The names are those of the counts.
  const parts = (Object.keys(NAMES) as (keyof Counts)[]).filter(
    (part) => of[part] > 0 || part === 'created',
  );
  return (
    <dl class="import-counts">
      {parts.map((part) => (
        <div key={part}>
          <dt>{NAMES[part]}</dt>
          <dd>{formatNumber(of[part])}</dd>
        </div>
      ))}
    </dl>
  );
}
