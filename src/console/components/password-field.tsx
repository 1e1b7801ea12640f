import { useState } from 'preact/hooks';
import { t } from '../language.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';

/** What a password needs. */
export const PASSWORD_HINT = t`12 characters or more. A few words that nobody would guess are good.`;

interface PasswordFieldProps {
  readonly label: string;
  readonly name?: string;
  /** What password managers are told. */
  readonly kind: 'current-password' | 'new-password';
  readonly hint?: string;
}

/** A field for a password, which can be shown. It says that Caps Lock is on. */
export function PasswordField({ kind, name = 'password', hint, ...props }: PasswordFieldProps) {
  const [isShown, setShown] = useState(false);
  const [isCaps, setCaps] = useState(false);
  const more = {
    type: isShown ? 'text' : 'password',
    autoComplete: kind,
    autoCapitalize: 'none',
    spellcheck: false,
    onKeyUp: (event: KeyboardEvent) => setCaps(event.getModifierState('CapsLock')),
    onBlur: () => setCaps(false),
  };
  const [show, hide] =
    name === 'password'
      ? [t`Show password`, t`Hide password`]
      : [t`Show current password`, t`Hide current password`];
  return (
    <div>
      <Field {...props} name={name} hint={isCaps ? t`Caps Lock is on.` : hint} more={more} />
      {name !== 'again' && (
        <Button kind="small quiet" onClick={() => setShown(!isShown)}>
          {isShown ? hide : show}
        </Button>
      )}
    </div>
  );
}
