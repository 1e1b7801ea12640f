/** What the columns of a file become, and the first animals as they would be imported. */

import { foldCase } from '../../../domain/name.ts';
import type { StatusChoice } from '../../../import/mapping.ts';
import { categories } from '../../categories.ts';
import { Field, type Options, Select } from '../../components/field.tsx';
import { count, shortened } from '../../format.ts';
import { t } from '../../language.ts';
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
  STATUS_CHOICES,
  statusGroups,
} from './mapping.ts';

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
  { part: 'name', label: t`Name`, none: t`Choose…` },
  {
    part: 'category',
    label: t`Category`,
    none: t`Choose…`,
    hint: t`Cat, dog and so on. New ones are added.`,
  },
  { part: 'status', label: t`Status`, none: t`None: all are available` },
  {
    part: 'externalId',
    label: t`Id`,
    none: t`None`,
    hint: t`With it, the same file can be imported again without adding its animals twice.`,
  },
] as const;

/** Which column is the name, the category, the status and the id. */
export function ColumnChoices({ sample, mapping, onChange }: MappingProps) {
  const columns = sample.columns.map((name) => [name, name] as const);

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
      <legend>{t`Which column is what?`}</legend>
      {PARTS.map(({ part, none, ...field }) => (
        <Select
          key={part}
          {...field}
          name={part}
          value={mapping[part] ?? NOT_CHOSEN}
          options={[
            ...(mapping[part] === undefined ? [[NOT_CHOSEN, t`Choose…`] as const] : []),
            ['', none],
            ...(part === 'category' ? [[ONE_KIND, t`None: all are of one kind`] as const] : []),
            ...columns,
          ]}
          onValue={(column) => choose(part, column)}
        />
      ))}
      {mapping.category === ONE_KIND && (
        <Field
          label={t`Category of all animals`}
          name="categoryIs"
          maxLength={100}
          value={mapping.categoryIs}
          hint={t`Such as Dog.`}
          onValue={(categoryIs) => onChange({ ...mapping, categoryIs: categoryIs.trim() })}
        />
      )}
      <Field
        label={t`Animals without a name are called`}
        name="unnamed"
        maxLength={255}
        value={mapping.unnamed}
        hint={t`Leave it empty to leave these animals out.`}
        onValue={(unnamed) => onChange({ ...mapping, unnamed: unnamed.trim() })}
      />
    </fieldset>
  );
}

const LABELS: Readonly<Record<string, string>> = {
  sold: t`Adopted, and kept as that`,
  skip: t`Leave out`,
};
const OPTIONS: Options = STATUS_CHOICES.map((choice, n) => [
  choice,
  LABELS[choice] ?? (n < 4 ? statusName(choice) : t`Has left: ${statusWord(choice)}`),
]);
/** Values of a group that are named. */
const NAMED_MAX = 6;
const nameOf = (value: string) => value || t`Empty`;

/** What the values of the status column become: asked once for all that mean the same. */
export function StatusChoices({ sample, mapping, onChange }: MappingProps) {
  if (!mapping.status) return null;
  if (!sample.values.has(mapping.status)) {
    return (
      <p class="problem">{t`The column “${mapping.status}” has too many different values for a status. Choose another one.`}</p>
    );
  }
  const groups = statusGroups(sample, mapping.status);
  const hasStar = groups.some(({ values }) => !values.every(isMappable));
  function choose(values: readonly string[], choice: string) {
    // The options are the choices.
    const chosen = Object.fromEntries(values.map((value) => [value, choice as StatusChoice]));
    onChange({ ...mapping, statuses: { ...mapping.statuses, ...chosen } });
  }
  return (
    <fieldset class="card stack file-choices">
      <legend>{t`What does each status mean?`}</legend>
      {groups
        .map(({ values, animals }) => ({ values: values.filter(isMappable), animals }))
        .filter(({ values }) => values.length > 0)
        .map(({ values, animals }) => {
          const [first = '', ...others] = values;
          const choice = mapping.statuses[first] ?? '';
          const same = others.slice(0, NAMED_MAX).map((value) => `“${nameOf(value)}”`);
          return (
            <Select
              key={first}
              label={nameOf(first)}
              name={`status-${first}`}
              options={choice === '' ? [['', t`Choose…`], ...OPTIONS] : OPTIONS}
              value={choice}
              hint={[
                count(animals, 'animal'),
                ...(same.length ? [t`also ${same.join(', ')}`] : []),
              ].join(', ')}
              onValue={(chosen) => choose(values, chosen)}
            />
          );
        })}
      {hasStar && (
        <p class="hint">{t`Rows with “*” are left out: in a map of statuses a star stands for all others.`}</p>
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
      <legend>{t`Which categories are these?`}</legend>
      {asked.map((value) => (
        <Select
          key={value}
          label={t`Category ${value}`}
          name={`category-${value}`}
          value={categoryFor(value, mapping, existing)}
          options={[[value, t`New: ${value}`], ...existing.map((name) => [name, name] as const)]}
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

/** Columns that are offered: a page with hundreds of them would help nobody. */
const COLUMNS_MAX = 60;
const PROFILE_OPTIONS: Options = [['', t`Nothing`], ...PART_OPTIONS];

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
      <legend>{t`What else is in the file?`}</legend>
      {others.slice(0, COLUMNS_MAX).map((column) => (
        <Select
          key={column}
          label={t`Column ${column}`}
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
          label={t`Unit of weights without one`}
          name="weightUnit"
          value={mapping.weightUnit}
          options={[
            ['', t`None: they are not read`],
            ...['g', 'kg', 'oz', 'lb'].map((unit) => [unit, unit] as const),
          ]}
          onValue={(weightUnit) => onChange({ ...mapping, weightUnit })}
        />
      )}
      {externalId !== '' && (
        <Select
          label={t`Animals of earlier imports that are missing`}
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
  { part: 'publish', label: t`Publish these animals` },
  { part: 'withHistory', label: t`Also add animals that had left before they came here` },
  { part: 'photos', label: '' },
] as const;
const MISSING_OPTIONS: Options = [
  ['keep', t`Stay as they are`],
  ['unpublish', t`Are no longer published`],
  ['leave', t`Have left`],
];

const photosLabel = ({ recognised }: FileSample) =>
  t`Fetch the photos: ${recognised.photos.map((column) => `“${column}”`).join(', ')}`;

/** The first value of a column, so that nobody has to look it up. */
function exampleOf({ rows }: FileSample, column: string): string | undefined {
  const value = rows.map((row) => row.text(column).trim()).find((text) => text !== '');
  return value && shortened(value, 40);
}
