import type { SelectOption } from './field.tsx';

interface ChoiceProps {
  readonly label: string;
  /** The name of the value in the form. */
  readonly name: string;
  readonly options: readonly SelectOption[];
  /** The value at first. The form keeps the current one. */
  readonly value: string;
}

/** One of a few values, all of them in sight: one tap chooses. */
export function Choice({ label, name, options, value }: ChoiceProps) {
  return (
    <fieldset class="field choice-field">
      <legend>{label}</legend>
      <div>
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              class="visually-hidden"
              name={name}
              value={option.value}
              defaultChecked={option.value === value}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
