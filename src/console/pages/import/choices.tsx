/** What the columns of a file become, and the first animals as they would be imported. */

import { foldCase } from '../../../domain/name.ts';
import type { StatusChoice } from '../../../import/mapping.ts';
import { categories } from '../../categories.ts';
import { Field, type Options, Select } from '../../components/field.tsx';
import { count } from '../../format.ts';
import { t } from '../../language.ts';
import { statusName, statusWord } from '../../words.ts';
import { categoryFor, categoryValues } from './file-categories.ts';
import type { FileSample } from './file-sample.ts';
import {
  guessStatuses,
  isMappable,
  type Mapping,
  ONE_KIND,
  STATUS_CHOICES,
  statusGroups,
} from './mapping.ts';

/** The names of the shop's categories. */
export const existingCategories = () => (categories.value ?? []).map(({ name }) => name);

export interface MappingProps {
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

/** What the values of the status column become: asked once for all that mean the same. */
export function StatusChoices({ sample, mapping, onChange }: MappingProps) {
  if (!mapping.status) return null;
  if (!sample.values.has(mapping.status)) {
    return (
      <p class="problem">
        {t`The column “`}
        {mapping.status}
        {t`” has too many different values for a status. Choose another one.`}
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
      <legend>{t`What does each status mean?`}</legend>
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
              label={first || t`Empty`}
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
      {unmappable.length > 0 && (
        <p class="hint">
          {t`Rows with`} {unmappable.map((value) => `“${value}”`).join(', ')}{' '}
          {t`are left out: a star cannot be translated.`}
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
