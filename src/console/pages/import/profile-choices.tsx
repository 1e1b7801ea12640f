import type { ProfilePart } from '../../../domain/import.ts';
import { Select } from '../../components/field.tsx';
import type { FileSample } from './file-sample.ts';
import type { Mapping } from './mapping.ts';
import { PART_OPTIONS } from './profile-mapping.ts';

interface ProfileChoicesProps {
  readonly sample: FileSample;
  readonly mapping: Mapping;
  readonly onChange: (mapping: Mapping) => void;
}

/** Columns that are offered: a page with hundreds of them would help nobody. */
const COLUMNS_MAX = 60;
const OPTIONS = [{ value: '', label: 'Nothing' }, ...PART_OPTIONS];

/** What the other columns say of the animals, and whether these are published. */
export function ProfileChoices({ sample, mapping, onChange }: ProfileChoicesProps) {
  const { profile, name, status, externalId } = mapping;
  const others = sample.columns.filter(
    (column) => ![name, status, externalId].includes(column) && column !== '',
  );
  if (others.length === 0) return null;
  return (
    <fieldset class="card column-choices">
      <legend>What else is in the file?</legend>
      {others.slice(0, COLUMNS_MAX).map((column) => (
        <Select
          key={column}
          label={`Column ${column}`}
          name={`column-${column}`}
          value={profile[column] ?? ''}
          options={OPTIONS}
          hint={exampleOf(sample, column)}
          onValue={(part) =>
            // The options are the parts.
            onChange({ ...mapping, profile: { ...profile, [column]: part as ProfilePart | '' } })
          }
        />
      ))}
      <label class="row publish-choice">
        <input
          type="checkbox"
          checked={mapping.publish}
          onChange={({ currentTarget }) => onChange({ ...mapping, publish: currentTarget.checked })}
        />
        Publish these animals
      </label>
    </fieldset>
  );
}

/** The first value of a column, so that nobody has to look it up. */
function exampleOf({ rows }: FileSample, column: string): string | undefined {
  const value = rows.map((row) => (row[column] ?? '').trim()).find((text) => text !== '');
  if (value === undefined) return undefined;
  return value.length > 40 ? `${value.slice(0, 39)}…` : value;
}
