import { type Options, Select } from '../../components/field.tsx';
import { shortened } from '../../format.ts';
import { t } from '../../language.ts';
import type { MappingProps } from './choices.tsx';
import type { FileSample } from './file-sample.ts';
import { type Mapping, PART_OPTIONS, type Part } from './mapping.ts';

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
  { part: 'withHistory', label: t`Add animals too that have left before they ever came here` },
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
