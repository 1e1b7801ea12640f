/** What the columns of a file become, and the first animals as they would be imported. */

import { foldCase } from '../../../domain/name.ts';
import type { StatusChoice } from '../../../import/mapping.ts';
import { categories } from '../../categories.ts';
import { Field, Select } from '../../components/field.tsx';
import { Status } from '../../components/status.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { count, shortened } from '../../format.ts';
import { statusName, statusWord } from '../../words.ts';
import type { FileSample } from './file-sample.ts';
import {
  categoryFor,
  categoryValues,
  guessStatuses,
  isMappable,
  type Mapping,
  ONE_KIND,
  PART_OPTIONS,
  type Part,
  queryOf,
  STATUS_CHOICES,
  statusGroups,
} from './mapping.ts';
import { type PreviewedAnimal, previewOf } from './preview.ts';

/** The names of the shop's categories. */
export const existingCategories = () => (categories.value ?? []).map(({ name }) => name);

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
            ...(part === 'category'
              ? [{ value: ONE_KIND, label: 'None: all are of one kind' }]
              : []),
            ...columns,
          ]}
          onValue={(column) => choose(part, column)}
        />
      ))}
      {mapping.category === ONE_KIND && (
        <Field
          label="Category of all animals"
          name="categoryIs"
          maxLength={100}
          value={mapping.categoryIs}
          hint="Such as Dog."
          onValue={(categoryIs) => onChange({ ...mapping, categoryIs: categoryIs.trim() })}
        />
      )}
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

const LABELS: Readonly<Record<string, string>> = {
  sold: 'Adopted, and kept as that',
  skip: 'Leave out',
};
const OPTIONS = STATUS_CHOICES.map((choice, n) => ({
  value: choice,
  label: LABELS[choice] ?? (n < 4 ? statusName(choice) : `Has left: ${statusWord(choice)}`),
}));
/** Values of a group that are named. */
const NAMED_MAX = 6;

/** What the values of the status column become: asked once for all that mean the same. */
export function StatusChoices({ sample, mapping, onChange }: MappingProps) {
  if (!mapping.status) return null;
  if (!sample.values.has(mapping.status)) {
    return (
      <p class="problem">
        The column “{mapping.status}” has too many different values for a status. Choose another
        one.
      </p>
    );
  }
  const groups = statusGroups(sample, mapping.status);
  const unmappable = groups.flatMap(({ values }) => values).filter((value) => !isMappable(value));
  function choose(values: readonly string[], choice: string) {
    // The options are the choices.
    const chosen = Object.fromEntries(values.map((value) => [value, choice as StatusChoice]));
    onChange({ ...mapping, statuses: { ...mapping.statuses, ...chosen } });
  }
  return (
    <fieldset class="card stack file-choices">
      <legend>What does each status mean?</legend>
      {groups
        .map(({ values, animals }) => ({ values: values.filter(isMappable), animals }))
        .filter(({ values }) => values.length > 0)
        .map(({ values, animals }) => {
          const [first = '', ...others] = values;
          const choice = mapping.statuses[first] ?? '';
          const same = others.slice(0, NAMED_MAX).map((value) => `“${value || 'empty'}”`);
          return (
            <Select
              key={first}
              label={first || 'Empty'}
              name={`status-${first}`}
              options={choice === '' ? [{ value: '', label: 'Choose…' }, ...OPTIONS] : OPTIONS}
              value={choice}
              hint={[
                count(animals, 'animal'),
                ...(same.length ? [`also ${same.join(', ')}`] : []),
              ].join(', ')}
              onValue={(chosen) => choose(values, chosen)}
            />
          );
        })}
      {unmappable.length > 0 && (
        <p class="hint">
          Rows with {unmappable.map((value) => `“${value}”`).join(', ')} are left out: a star cannot
          be translated.
        </p>
      )}
    </fieldset>
  );
}

/** What each category becomes: one of the shop, or a new one. */
export function CategoryChoices({ sample, mapping, onChange }: MappingProps) {
  const values = categoryValues(sample, mapping);
  const existing = existingCategories();
  if (values.length === 0 || existing.length === 0) return null;
  const isKnown = (value: string) => existing.some((name) => foldCase(name) === foldCase(value));
  const asked = values.filter((value) => !isKnown(value));
  if (asked.length === 0) return null;
  return (
    <fieldset class="card stack file-choices">
      <legend>Which categories are these?</legend>
      {asked.map((value) => (
        <Select
          key={value}
          label={`Category ${value}`}
          name={`category-${value}`}
          value={categoryFor(value, mapping, existing)}
          options={[
            { value, label: `New: ${value}` },
            ...existing.map((name) => ({ value: name, label: name })),
          ]}
          hint={count(sample.values.get(mapping.category)?.get(value) ?? 0, 'animal')}
          onValue={(name) =>
            onChange({
              ...mapping,
              categories: { ...mapping.categories, [foldCase(value)]: name },
            })
          }
        />
      ))}
    </fieldset>
  );
}

const PREVIEW: readonly Column<PreviewedAnimal>[] = [
  { name: 'Name', cell: ({ name }) => name || <em>No name</em> },
  { name: 'Category', cell: ({ category }) => category || <em>None</em> },
  {
    name: 'Status',
    cell: ({ status, isAdded }) => (isAdded ? <Status value={status} /> : status),
  },
  { name: 'Profile', cell: ({ profile }) => shortened(profile, PROFILE_MAX) },
];
const PROFILE_MAX = 300;

/** The first animals as they would be stored. */
export function FilePreview({ sample, mapping }: Omit<MappingProps, 'onChange'>) {
  const query = queryOf(mapping, sample, existingCategories());
  const rows = previewOf(sample, query, mapping.status !== undefined);
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">The first animals, as they are stored</h2>
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

/** What the other columns say of the animals, and what else is done. */
export function OtherChoices({ sample, mapping, onChange }: MappingProps) {
  const { parts, name, status, externalId } = mapping;
  const others = sample.columns.filter(
    (column) => ![name, status, externalId, ...sample.recognised.photos, ''].includes(column),
  );
  const unit = Object.values(parts).includes('weightGrams');
  const hasPhotos = sample.recognised.photos.length > 0;
  return (
    <fieldset class="card stack file-choices">
      <legend>What else is in the file?</legend>
      {others.slice(0, COLUMNS_MAX).map((column) => (
        <Select
          key={column}
          label={`Column ${column}`}
          name={`column-${column}`}
          value={parts[column] ?? ''}
          options={PROFILE_OPTIONS}
          hint={exampleOf(sample, column)}
          onValue={(part) =>
            // The options are the parts.
            onChange({ ...mapping, parts: { ...parts, [column]: part as Part | '' } })
          }
        />
      ))}
      {unit && (
        <Select
          label="Unit of weights without one"
          name="weightUnit"
          value={mapping.weightUnit}
          options={[
            { value: '', label: 'None: they are not read' },
            ...['g', 'kg', 'oz', 'lb'].map((value) => ({ value, label: value })),
          ]}
          onValue={(weightUnit) => onChange({ ...mapping, weightUnit })}
        />
      )}
      {externalId !== '' && (
        <Select
          label="Animals of earlier imports that are missing"
          name="missing"
          value={mapping.missing}
          options={MISSING_OPTIONS}
          onValue={(missing) =>
            // The options are the choices.
            onChange({ ...mapping, missing: missing as Mapping['missing'] })
          }
        />
      )}
      {CHECKS.filter(({ part }) => part !== 'photos' || hasPhotos).map(({ part, label }) => (
        <label key={part} class="row publish-choice">
          <input
            type="checkbox"
            checked={mapping[part]}
            onChange={({ currentTarget }) =>
              onChange({ ...mapping, [part]: currentTarget.checked })
            }
          />
          {part === 'photos' ? photosLabel(sample) : label}
        </label>
      ))}
    </fieldset>
  );
}

const CHECKS = [
  { part: 'publish', label: 'Publish these animals' },
  { part: 'withHistory', label: 'Add animals too that have left before they ever came here' },
  { part: 'photos', label: '' },
] as const;
const MISSING_OPTIONS = [
  { value: 'keep', label: 'Stay as they are' },
  { value: 'unpublish', label: 'Are no longer published' },
  { value: 'leave', label: 'Have left' },
];

const photosLabel = ({ recognised }: FileSample) =>
  `Fetch the photos: ${recognised.photos.map((column) => `“${column}”`).join(', ')}`;

/** The first value of a column, so that nobody has to look it up. */
function exampleOf({ rows }: FileSample, column: string): string | undefined {
  const value = rows.map((row) => row.text(column).trim()).find((text) => text !== '');
  return value && shortened(value, 40);
}
