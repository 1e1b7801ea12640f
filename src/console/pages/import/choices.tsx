/** What the columns of a file become, and the first animals as they would be imported. */

import type { ProfilePart } from '../../../domain/import.ts';
import { Field, Select } from '../../components/field.tsx';
import { Status } from '../../components/status.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { count, shortened } from '../../format.ts';
import { statusName } from '../../words.ts';
import type { FileSample } from './file-sample.ts';
import {
  guessStatuses,
  isMappable,
  type Mapping,
  PART_OPTIONS,
  previewOf,
  STATUS_CHOICES,
  type StatusChoice,
} from './mapping.ts';

interface MappingProps {
  readonly sample: FileSample;
  readonly mapping: Mapping;
  readonly onChange: (mapping: Mapping) => void;
}

/** No column is called like this: their names are trimmed. */
const NOT_CHOSEN = ' ';

/** The parts that one column each is for. */
const PARTS = [
  { part: 'name', label: 'Name', none: 'Choose…' },
  {
    part: 'category',
    label: 'Category',
    none: 'Choose…',
    hint: 'Cat, dog and so on. New ones are added.',
  },
  { part: 'status', label: 'Status', none: 'None: all are available' },
  {
    part: 'externalId',
    label: 'Id',
    none: 'None',
    hint: 'With it, the same file can be imported again without adding its animals twice.',
  },
] as const;

/** Which column is the name, the category, the status and the id. */
export function ColumnChoices({ sample, mapping, onChange }: MappingProps) {
  const columns = sample.columns.map((name) => ({ value: name, label: name }));

  function choose(part: (typeof PARTS)[number]['part'], column: string) {
    if (column === NOT_CHOSEN) return;
    onChange({
      ...mapping,
      [part]: column,
      ...(part === 'category' && { isCategoryId: column === 'categoryId' }),
      ...(part === 'status' && { statuses: guessStatuses(sample, column) }),
    });
  }

  return (
    <fieldset class="card stack file-choices">
      <legend>Which column is what?</legend>
      {PARTS.map(({ part, none, ...field }) => (
        <Select
          key={part}
          {...field}
          name={part}
          value={mapping[part] ?? NOT_CHOSEN}
          options={[
            ...(mapping[part] === undefined ? [{ value: NOT_CHOSEN, label: 'Choose…' }] : []),
            { value: '', label: none },
            ...columns,
          ]}
          onValue={(column) => choose(part, column)}
        />
      ))}
      <Field
        label="Animals without a name are called"
        name="unnamed"
        maxLength={255}
        value={mapping.unnamed}
        hint="Leave it empty to leave these animals out."
        onValue={(unnamed) => onChange({ ...mapping, unnamed: unnamed.trim() })}
      />
    </fieldset>
  );
}

const OPTIONS = STATUS_CHOICES.map((choice) => ({
  value: choice,
  label: choice === 'skip' ? 'Leave out' : statusName(choice),
}));

/** What each value of the status column becomes. */
export function StatusChoices({ sample, mapping, onChange }: MappingProps) {
  if (!mapping.status) return null;
  const values = sample.values.get(mapping.status);
  if (values === undefined) {
    return (
      <p class="problem">
        The column “{mapping.status}” has too many different values for a status. Choose another
        one.
      </p>
    );
  }
  const unmappable = [...values.keys()].filter((value) => !isMappable(value));
  return (
    <fieldset class="card stack file-choices">
      <legend>What does each status mean?</legend>
      {[...values]
        .filter(([value]) => isMappable(value))
        .map(([value, times]) => (
          <Select
            key={value}
            label={value || 'Empty'}
            name={`status-${value}`}
            options={
              mapping.statuses[value] ? OPTIONS : [{ value: '', label: 'Choose…' }, ...OPTIONS]
            }
            value={mapping.statuses[value] ?? ''}
            hint={count(times, 'animal')}
            onValue={(choice) =>
              onChange({
                ...mapping,
                // The options are the choices.
                statuses: { ...mapping.statuses, [value]: choice as StatusChoice },
              })
            }
          />
        ))}
      {unmappable.length > 0 && (
        <p class="hint">
          Rows with {unmappable.map((value) => `“${value}”`).join(', ')} are left out: a star cannot
          be translated.
        </p>
      )}
    </fieldset>
  );
}

const PREVIEW: readonly Column<ReturnType<typeof previewOf>>[] = [
  { name: 'Name', cell: ({ name }) => name || <em>No name</em> },
  { name: 'Category', cell: ({ category }) => category || <em>None</em> },
  {
    name: 'Status',
    cell: ({ status, isAdded }) => (isAdded ? <Status value={status} /> : status),
  },
  { name: 'Profile', cell: ({ profile }) => shortened(profile) },
];

/** The first animals as they would be imported. */
export function FilePreview({ sample, mapping }: Omit<MappingProps, 'onChange'>) {
  const rows = sample.rows.map((row) => previewOf(row, mapping));
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">The first animals</h2>
      <Table
        caption="The first animals of the file"
        columns={PREVIEW}
        items={rows}
        keyOf={(row) => rows.indexOf(row)}
      />
    </section>
  );
}

/** Columns that are offered: a page with hundreds of them would help nobody. */
const COLUMNS_MAX = 60;
const PROFILE_OPTIONS = [{ value: '', label: 'Nothing' }, ...PART_OPTIONS];

/** What the other columns say of the animals, and whether these are published. */
export function ProfileChoices({ sample, mapping, onChange }: MappingProps) {
  const { profile, name, status, externalId } = mapping;
  const others = sample.columns.filter(
    (column) => ![name, status, externalId].includes(column) && column !== '',
  );
  if (others.length === 0) return null;
  return (
    <fieldset class="card stack file-choices">
      <legend>What else is in the file?</legend>
      {others.slice(0, COLUMNS_MAX).map((column) => (
        <Select
          key={column}
          label={`Column ${column}`}
          name={`column-${column}`}
          value={profile[column] ?? ''}
          options={PROFILE_OPTIONS}
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
  return value && shortened(value, 40);
}
