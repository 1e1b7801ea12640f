/** What the columns of a file become, and the first animals as they would be imported. */
import { Field, Select } from '../../components/field.tsx';
import { Status } from '../../components/status.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { count } from '../../format.ts';
import { statusName } from '../../words.ts';
import type { FileSample } from './file-sample.ts';
import {
  type AnimalPreview,
  guessStatuses,
  isMappable,
  type Mapping,
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

/** Which column is the name, the category, the status and the id. */
export function ColumnChoices({ sample, mapping, onChange }: MappingProps) {
  const columns = sample.columns.map((name) => ({ value: name, label: name }));
  const orNone = (label: string) => [{ value: '', label }, ...columns];
  return (
    <fieldset class="card column-choices">
      <legend>Which column is what?</legend>
      <Select
        label="Name"
        name="name"
        value={mapping.name}
        options={orNone('Choose…')}
        onValue={(name) => onChange({ ...mapping, name })}
      />
      <Select
        label="Category"
        name="category"
        value={mapping.category}
        options={orNone('Choose…')}
        hint="Cat, dog and so on. New ones are added."
        onValue={(category) =>
          onChange({ ...mapping, category, isCategoryId: category === 'categoryId' })
        }
      />
      <Select
        label="Status"
        name="status"
        value={mapping.status ?? NOT_CHOSEN}
        options={[
          ...(mapping.status === undefined ? [{ value: NOT_CHOSEN, label: 'Choose…' }] : []),
          ...orNone('None: all are available'),
        ]}
        onValue={(status) =>
          status !== NOT_CHOSEN &&
          onChange({ ...mapping, status, statuses: guessStatuses(sample, status) })
        }
      />
      <Select
        label="Id"
        name="externalId"
        value={mapping.externalId}
        options={orNone('None')}
        hint="With it, the same file can be imported again without doubling."
        onValue={(externalId) => onChange({ ...mapping, externalId })}
      />
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
    <fieldset class="card status-choices">
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
          Rows with {unmappable.map((value) => `“${value}”`).join(', ')} are left out: a status with
          a comma cannot be translated.
        </p>
      )}
    </fieldset>
  );
}

interface PreviewRow extends AnimalPreview {
  readonly line: number;
}

/** Characters of a profile that are shown. */
const PROFILE_SHOWN = 80;

const PREVIEW: readonly Column<PreviewRow>[] = [
  { name: 'Name', cell: ({ name }) => name || <em>No name</em> },
  { name: 'Category', cell: ({ category }) => category || <em>None</em> },
  {
    name: 'Status',
    cell: ({ status, isAdded }) => (isAdded ? <Status value={status} /> : status),
  },
  { name: 'Profile', cell: ({ profile }) => shortened(profile) },
];

function shortened(text: string): string {
  return text.length > PROFILE_SHOWN ? `${text.slice(0, PROFILE_SHOWN - 1)}…` : text;
}

/** The first animals as they would be imported. */
export function FilePreview({ sample, mapping }: Omit<MappingProps, 'onChange'>) {
  const rows = sample.rows.map((row, index) => ({ line: index, ...previewOf(row, mapping) }));
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">The first animals</h2>
      <Table
        caption="The first animals of the file"
        columns={PREVIEW}
        items={rows}
        keyOf={({ line }) => line}
        nameOf={({ name }) => name}
      />
    </section>
  );
}
