import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { decimalProblem, type Limits } from '../decimal.ts';
import { count, formatNumber } from '../format.ts';
import { t } from '../language.ts';
import { fieldName } from '../names.ts';
import { query, setQuery } from '../router.ts';

/** The pause after which a person has stopped typing. */
const TYPING_MS = 250;
/** From this share of the most characters on, a field counts them. */
const NEAR = 0.9;

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The choices of a field: each value, and what it is called. */
export type Options = readonly (readonly [value: string, label: string])[];

/** What is wrong with the value of one field, in words for the person. */
export class FieldProblem extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

interface FormState {
  /** The record whose values the fields show, each the one under its name. */
  readonly shown: object;
  /** What was refused, for the field that it is about. */
  readonly problem?: FieldProblem | undefined;
}

/** What the fields of a form know of it. */
export const Form = createContext<FormState>({ shown: {} });

/** Returns the record of the form around. */
export const useShown = <T extends object>(): Partial<T> => useContext(Form).shown;

/** What a field is made of. */
export interface FieldProps {
  /** By default what the field is called everywhere. */
  readonly label?: string;
  readonly name: string;
  readonly type?: 'text' | 'search' | 'url' | 'number' | 'date' | 'textarea' | 'select';
  /** The choices of a `select`. */
  readonly options?: Options;
  readonly hint?: ComponentChildren;
  /** What is wrong with the value, as somebody else has found out. */
  readonly problem?: string | undefined;
  /** The value at first, by default that of the record of the form, which keeps the current one. */
  readonly value?: string;
  /** What has to be entered, for the message if nothing is: `a name`. */
  readonly needs?: string;
  /** Returns what is wrong with a value, in words for the person. */
  readonly check?: (value: string) => string | undefined;
  /** Called with each new value. */
  readonly onValue?: (value: string) => void;
  /** Called with the text once the person stops typing, or presses Enter. */
  readonly onTyped?: ((text: string) => void) | undefined;
  /** The most characters. More can be typed and pasted, so that nothing is cut off unseen. */
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly required?: boolean;
  /** Further attributes of an `input`. */
  readonly more?: object;
}

/** A control with label, hint and problem. The browser finds problems; the words for them are ours. */
export function Field({ name, type = 'text', options = [], hint, ...props }: FieldProps) {
  const { shown, problem: refused } = useContext(Form);
  const {
    label = fieldName(name),
    value = String(Reflect.get(shown, name) ?? ''),
    needs,
    check = needsText(needs),
    onValue,
    onTyped,
    more,
    problem: told = refused?.field === name ? refused.message : undefined,
    maxLength = Infinity,
    ...attributes
  } = props;
  const id = useId();
  const control = useRef<Control | null>(null);
  const [found, setProblem] = useState<string>();
  const problem = told ?? found;
  const [length, setLength] = useState(lengthOf(value));
  const isNear = length >= maxLength * NEAR;

  function input() {
    const { current } = control;
    const text = current?.value ?? '';
    setLength(lengthOf(text));
    const told = current?.validity.customError;
    current?.setCustomValidity(check(text) ?? tooLong(text, maxLength) ?? '');
    if (current?.validity.valid || (told && !current?.validity.customError)) setProblem(undefined);
    return current;
  }
  useEffect(() => void input(), [props.check, needs]);

  const typed = useDelayed(() => onTyped?.(control.current?.value.trim() ?? ''));

  const shared = {
    ...attributes,
    name,
    // A search is sent as it is typed, with no moment to complain.
    ...(type === 'search' && maxLength < Infinity && { maxLength }),
    id,
    ref: (element: Control | null) => {
      control.current = element;
    },
    onInput() {
      const text = input()?.value ?? '';
      onValue?.(text);
      if (onTyped) typed(TYPING_MS);
    },
    ...(onTyped && { onKeyDown: ({ key }: KeyboardEvent) => key === 'Enter' && typed(0) }),
    onInvalid(event: Event) {
      event.preventDefault();
      if (control.current) setProblem(problemOf(control.current, label));
    },
    'aria-invalid': problem !== undefined,
    'aria-describedby':
      [problem && `${id}-problem`, hint !== undefined && `${id}-hint`, isNear && `${id}-count`]
        .filter(Boolean)
        .join(' ') || undefined,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'textarea' && <textarea {...shared} defaultValue={value} />}
      {type === 'select' && (
        <select {...shared}>
          {options.map(([one, name]) => (
            <option key={one} value={one} selected={one === value}>
              {name}
            </option>
          ))}
        </select>
      )}
      {type !== 'textarea' && type !== 'select' && (
        // The types of Preact tie the type of an input to its role.
        <input
          {...({ autoComplete: 'off', ...shared, type, ...more } as object)}
          defaultValue={value}
        />
      )}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`} role={told ? 'alert' : undefined}>
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {isNear && (
        <p class="hint" id={`${id}-count`}>
          {t`${formatNumber(length)} of ${formatNumber(maxLength)} characters`}
        </p>
      )}
    </div>
  );
}

/** Returns what calls back after a wait, the last one that was asked for. */
function useDelayed(callback: () => void): (wait: number) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (wait) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(callback, wait);
  };
}

/** Counts as the service does: code points, of the text that is sent. */
const lengthOf = (text: string) => [...text.trim()].length;

function tooLong(text: string, max: number): string | undefined {
  const over = lengthOf(text) - max;
  if (over <= 0) return undefined;
  return t`This is ${count(over, 'character')} too long: at most ${formatNumber(max)} are possible.`;
}

/** A field for a decimal number, with a point or a comma: a number field of a browser swallows one of them. */
export function DecimalField({
  min = 0,
  max,
  units,
  ...props
}: Omit<FieldProps, 'type' | 'check'> & Pick<Limits, 'units'>) {
  // As the page writes it elsewhere: 23,5.
  const value = props.value?.replace('.', formatNumber(0.5).charAt(1));
  const limits = { min, ...(max !== undefined && { max }), ...(units && { units }) };
  return (
    <Field
      {...props}
      {...(value !== undefined && { value })}
      // What is stored already is not questioned.
      check={(text) => (text === value ? undefined : decimalProblem(text, limits))}
      more={{ inputMode: 'decimal' }}
    />
  );
}

/** A field to choose one of a few values. */
export function Select(props: Omit<FieldProps, 'type'>) {
  return <Field type="select" {...props} />;
}

/** A field whose value is in the address, under its name. What is in a list depends on it. */
export function QueryField({ name, ...field }: Omit<FieldProps, 'value' | 'onValue' | 'onTyped'>) {
  const value = query.value.get(name) ?? '';
  const shown = useRef(value);
  const round = useRef(0);
  // Another field takes its place if the address has changed otherwise: by the back button, or a link.
  if (value !== shown.current) round.current++;
  shown.current = value;

  function set(text: string) {
    if (text === shown.current) return;
    // One step back leads out of a search, not through its letters.
    const step = shown.current === '' || field.type === 'select' ? 'push' : 'replace';
    shown.current = text;
    setQuery({ [name]: text, page: undefined }, step);
  }
  const change = field.type === 'search' ? { onTyped: set } : { onValue: set };
  return <Field key={round.current} {...field} {...change} name={name} value={value} />;
}

function needsText(what: string | undefined): (value: string) => string | undefined {
  return (value) => (what !== undefined && value.trim() === '' ? t`Enter ${what}.` : undefined);
}

/** Says what is wrong with a value and what to do. */
function problemOf(control: Control, label: string): string {
  const { validity, validationMessage } = control;
  if (validity.customError) return validationMessage;
  if (validity.valueMissing) return t`${label} is missing.`;
  if (validity.typeMismatch) return t`This does not look complete. Check it.`;
  if (validity.badInput)
    return control.type === 'date' ? t`Enter a whole date.` : t`Enter a number.`;
  if (validity.rangeUnderflow && 'min' in control) return t`Enter ${control.min} or more.`;
  if (validity.rangeOverflow && 'max' in control) return t`Enter ${control.max} or less.`;
  return validationMessage;
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly options: Options;
  readonly value: string;
}

/** One of a few values, all of them in sight: one tap chooses. */
export function Choice({ label, name, options, value }: ChoiceProps) {
  return (
    <fieldset class="field choice-field">
      <legend>{label}</legend>
      <div>
        {options.map(([one, called]) => (
          <label key={one}>
            <input
              type="radio"
              class="visually-hidden"
              name={name}
              value={one}
              defaultChecked={one === value}
            />
            {called}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
