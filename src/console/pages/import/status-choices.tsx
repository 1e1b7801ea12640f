import { Select } from '../../components/field.tsx';
import { statusName } from '../../components/status.tsx';
import { formatNumber } from '../../format.ts';
import type { MappingProps } from './column-choices.tsx';
import { isMappable, STATUS_CHOICES, type StatusChoice } from './mapping.ts';

const OPTIONS = STATUS_CHOICES.map((choice) => ({
  value: choice,
  label: choice === 'skip' ? 'Leave out' : statusName(choice),
}));

/** What each value of the status column becomes. */
export function StatusChoices({ sample, mapping, onChange }: MappingProps) {
  if (mapping.status === '') return null;
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
    <fieldset class="status-choices">
      <legend>What does each status mean?</legend>
      {[...values]
        .filter(([value]) => isMappable(value))
        .map(([value, times]) => (
          <Select
            key={value}
            {...{ label: value || 'Empty', name: `status-${value}`, options: OPTIONS }}
            value={mapping.statuses[value] ?? 'available'}
            hint={formatNumber(times)}
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
