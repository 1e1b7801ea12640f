import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** What every kind of field has. */
interface FieldProps {
  readonly label: string;
  /** The name of the value in the form. */
  readonly name: string;
  readonly hint?: string;
  /** The value at first. The form keeps the current one. */
  readonly value?: string;
  readonly required?: boolean;
  /** Hides the label from the eye: for a field whose purpose is plain to see. */
  readonly isLabelHidden?: boolean;
  /** Called with each new value. */
  readonly onValue?: (value: string) => void;
  /** Returns what is wrong with a value, in words for the person. */
  readonly check?: (value: string) => string | undefined;
}

interface TextFieldProps extends FieldProps {
  readonly type?: 'text' | 'search' | 'url' | 'number';
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly placeholder?: string;
}

interface SelectFieldProps extends FieldProps {
  readonly options: readonly SelectOption[];
}

/** A choice in a select field. */
export interface SelectOption {
  readonly value: string;
  readonly label: string;
}

interface TextAreaProps extends FieldProps {
  readonly maxLength?: number;
  readonly rows?: number;
}

/** A field for a line of text or a number. */
export function Field({ type = 'text', ...props }: TextFieldProps) {
  const { placeholder, maxLength, min, max } = props;
  return (
    <FieldFrame {...props}>
      {(shared) => (
        <input
          {...shared}
          // The types of Preact tie the type of an input to its role, which is never set here.
          {...({ type } as InputHTMLAttributes)}
          {...{ placeholder, maxLength, min, max }}
          autoComplete="off"
          defaultValue={props.value}
        />
      )}
    </FieldFrame>
  );
}

/** A field to choose one of a few values. */
export function Select(props: SelectFieldProps) {
  return (
    <FieldFrame {...props}>
      {(shared) => (
        <select {...shared}>
          {props.options.map(({ value, label }) => (
            <option key={value} value={value} selected={value === props.value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}

/** A field for several lines of text. */
export function TextArea(props: TextAreaProps) {
  const { maxLength, rows = 4 } = props;
  return (
    <FieldFrame {...props}>
      {(shared) => <textarea {...shared} {...{ maxLength, rows }} defaultValue={props.value} />}
    </FieldFrame>
  );
}

/** The attributes that connect a control with its label, its hint and its problem. */
interface SharedAttributes {
  readonly id: string;
  readonly name: string;
  readonly required: boolean | undefined;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
  readonly onInput: () => void;
  readonly onInvalid: (event: Event) => void;
}

interface FieldFrameProps extends Omit<FieldProps, 'value'> {
  readonly children: (shared: SharedAttributes) => ComponentChildren;
}

/** Label, hint and problem around a control. Problems are found by the browser, told in our words. */
function FieldFrame({ label, name, hint, required, isLabelHidden, ...props }: FieldFrameProps) {
  const { onValue, check, children } = props;
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState<string>();
  const control = () => frame.current?.querySelector<Control>(':is(input, select, textarea)');

  useEffect(() => {
    const found = control();
    if (found && check) found.setCustomValidity(check(found.value) ?? '');
  }, [check]);

  function input() {
    const found = control();
    if (!found) return;
    found.setCustomValidity(check?.(found.value) ?? '');
    if (found.validity.valid) setProblem(undefined);
    onValue?.(found.value);
  }

  function invalid(event: Event) {
    event.preventDefault();
    const found = control();
    if (found) setProblem(problemOf(found, label));
  }

  const described = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div class="field" ref={frame}>
      <label for={id} class={isLabelHidden ? 'visually-hidden' : undefined}>
        {label}
      </label>
      {children({
        ...{ id, name, required, onInput: input, onInvalid: invalid },
        'aria-invalid': problem !== undefined,
        'aria-describedby': described || undefined,
      })}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Says what is wrong with a value and what to do. */
function problemOf(control: Control, label: string): string {
  const { validity, validationMessage } = control;
  if (validity.customError) return validationMessage;
  if (validity.valueMissing) return `${label} is missing.`;
  if (validity.typeMismatch) return 'This does not look complete. Check it.';
  if (validity.badInput) return 'Enter a number.';
  if (validity.rangeUnderflow && 'min' in control) return `Enter ${control.min} or more.`;
  if (validity.rangeOverflow && 'max' in control) return `Enter ${control.max} or less.`;
  return validationMessage;
}
