/** The colour of the shop: to choose or to type. */

import { useEffect, useRef } from 'preact/hooks';
import { ACCENT } from '../../../adopt/accent.ts';
import { SHOP_FIELDS } from '../../../domain/shop.ts';
import { Field } from '../../components/field.tsx';
import { t } from '../../language.ts';
import { fieldName } from '../../words.ts';

const { pattern, rule } = SHOP_FIELDS.accentColour;

/** Returns a colour as the service takes it: `#ffffff` for `#fff`, `fff` and `FFFFFF`. Another text stays. */
export function colourOf(text: string): string {
  const digits = /^#?([\da-f]{3}|[\da-f]{6})$/i.exec(text.trim())?.[1]?.toLowerCase();
  if (digits === undefined) return text.trim();
  return `#${digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits}`;
}

const NAME = 'accentColour';

/** A text field, and beside it the choice of the browser: each follows the other. */
export function ColourField({ value }: { readonly value: string }) {
  const picker = useRef<HTMLInputElement>(null);

  function show(text: string) {
    const colour = colourOf(text);
    if (picker.current) picker.current.value = pattern.test(colour) ? colour : ACCENT;
  }
  useEffect(() => show(value), []);

  function choose({ currentTarget }: { readonly currentTarget: HTMLInputElement }) {
    const text = currentTarget.form?.elements.namedItem(NAME);
    if (!(text instanceof HTMLInputElement)) return;
    text.value = currentTarget.value;
    text.dispatchEvent(new Event('input', { bubbles: true }));
  }

  return (
    <div class="colour-field">
      <Field
        name={NAME}
        hint={t`Of buttons and links, such as #2f6f4f. It is darkened or lightened where it could not be read.`}
        check={(text) =>
          text.trim() === '' || pattern.test(colourOf(text)) ? undefined : t`Enter ${rule}.`
        }
        onValue={show}
      />
      <input
        ref={picker}
        type="color"
        aria-label={t`Choose: ${fieldName(NAME)}`}
        onInput={choose}
      />
    </div>
  );
}
