import { Field, Select } from '../../components/field.tsx';
import type { FileSample } from './file-sample.ts';
import { guessStatuses, type Mapping } from './mapping.ts';

export interface MappingProps {
  readonly sample: FileSample;
  readonly mapping: Mapping;
  readonly onChange: (mapping: Mapping) => void;
}

/** Which column is the name, the category, the status and the id. */
export function ColumnChoices({ sample, mapping, onChange }: MappingProps) {
  const columns = sample.columns.map((name) => ({ value: name, label: name }));
  const orNone = (label: string) => [{ value: '', label }, ...columns];
  return (
    <fieldset class="column-choices">
      <legend>Which column is what?</legend>
      <Select
        {...{ label: 'Name', name: 'name', value: mapping.name, options: orNone('Choose…') }}
        onValue={(name) => onChange({ ...mapping, name })}
      />
      <Select
        {...{ label: 'Category', name: 'category', value: mapping.category }}
        options={orNone('Choose…')}
        hint="Cat, dog and so on. New ones are added."
        onValue={(category) =>
          onChange({ ...mapping, category, isCategoryId: category === 'categoryId' })
        }
      />
      <Select
        {...{ label: 'Status', name: 'status', value: mapping.status }}
        options={orNone('None: all are available')}
        onValue={(status) =>
          onChange({ ...mapping, status, statuses: guessStatuses(sample, status) })
        }
      />
      <Select
        {...{ label: 'Id', name: 'externalId', value: mapping.externalId }}
        options={orNone('None')}
        hint="With it, the same file can be imported again without doubling."
        onValue={(externalId) => onChange({ ...mapping, externalId })}
      />
      <Field
        {...{ label: 'Animals without a name are called', name: 'unnamed', maxLength: 255 }}
        value={mapping.unnamed}
        placeholder="Unnamed"
        hint="Leave it empty to leave these animals out."
        onValue={(unnamed) => onChange({ ...mapping, unnamed: unnamed.trim() })}
      />
    </fieldset>
  );
}
