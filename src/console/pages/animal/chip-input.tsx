import { useState } from 'preact/hooks';
import type { ProfileField } from '../../../domain/profile.ts';
import { Field } from '../../components/field.tsx';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { store } from '../../service.ts';

interface ChipInputProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string | undefined;
  /** What was there at first. */
  readonly value: string;
  readonly field: Extract<ProfileField, { readonly kind: 'code' }>;
}

/** Returns a code that is written as on paper, with spaces between. */
export function codeOf(text: string): string {
  return text.toUpperCase().replaceAll(/[\s.-]/g, '');
}

/** A microchip. One that is known already is shown: it may be the same animal, which has come back. */
export function ChipInput({ value, field, hint, ...shared }: ChipInputProps) {
  const [typed, setTyped] = useState(value);
  const code = codeOf(typed);
  const isChip = field.pattern.test(code);
  const { value: found = [] } = useLoaded(
    async (signal) => {
      if (!isChip || code === value) return [];
      const { items } = await store.animals.list({ q: code, present: 'any' }, { signal }).page();
      return items.filter(({ profile }) => profile.microchip === code);
    },
    [code],
  );
  return (
    <Field
      {...shared}
      value={value}
      onTyped={setTyped}
      hint={
        found.length === 0 ? (
          hint
        ) : (
          <>
            {t`This is the chip of`}{' '}
            {found.map(({ pet }, n) => (
              <span key={pet.id}>
                {n > 0 && ', '}
                {/* What was typed stays in this tab. */}
                <a href={`/console/animals/${pet.id}`} target="_blank" rel="noopener">
                  {t`${pet.name}, number ${pet.id}`}
                </a>
              </span>
            ))}
            . {t`If the animal came back, open it there.`}
          </>
        )
      }
      check={(text) =>
        text.trim() === '' || field.pattern.test(codeOf(text))
          ? undefined
          : t`Enter ${field.min} to ${field.max} digits or letters.`
      }
    />
  );
}
