import { useState } from 'preact/hooks';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { carryOut } from '../../outbox.ts';
import { type IssuedKey, type NewKey, store } from '../../service.ts';
import type { Scope } from '../../session.ts';
import {
  EXPIRY_OPTIONS,
  expiryAfter,
  LIMIT_MAX,
  NAME_MAX,
  PLAN_OPTIONS,
  type PlanName,
  SCOPE_OPTIONS,
} from './key-choices.ts';

interface CreateKeyProps {
  readonly onClose: () => void;
  readonly onCreated: (key: IssuedKey) => void;
}

/** Creates a key for a person or a program. */
export function CreateKey({ onClose, onCreated }: CreateKeyProps) {
  const [plan, setPlan] = useState('business');

  async function create(values: FormData) {
    const wanted = keyOf(values);
    await carryOut({
      label: `Create a key for ${wanted.name}`,
      send: (idempotencyKey) => store.keys.create(wanted, { idempotencyKey }),
      done: onCreated,
    });
  }

  return (
    <FormDialog title="Create key" action="Create key" onSubmit={create} onClose={onClose}>
      <Field
        {...{ label: 'Name', name: 'name', maxLength: NAME_MAX }}
        hint="The person or program that will use it."
        check={(value) => (value.trim() === '' ? 'Enter a name.' : undefined)}
      />
      <Select {...{ label: 'Rights', name: 'scope', value: 'write', options: SCOPE_OPTIONS }} />
      <Select
        {...{ label: 'Plan', name: 'plan', value: plan, options: PLAN_OPTIONS }}
        onValue={setPlan}
      />
      {plan === 'enterprise' && (
        <>
          <Field
            {...{ label: 'Requests a minute', name: 'perMinute', type: 'number', value: '1000' }}
            {...{ min: 1, max: LIMIT_MAX, required: true }}
          />
          <Field
            {...{ label: 'Requests a day', name: 'perDay', type: 'number', value: '100000' }}
            {...{ min: 1, max: LIMIT_MAX, required: true }}
          />
        </>
      )}
      <Select {...{ label: 'Expires', name: 'expires', options: EXPIRY_OPTIONS }} />
    </FormDialog>
  );
}

function keyOf(values: FormData): NewKey {
  const text = (name: string) => String(values.get(name) ?? '').trim();
  const expiresAt = expiryAfter(text('expires'));
  return {
    name: text('name'),
    // The options of these two are the values of the interface.
    plan: text('plan') as PlanName,
    scopes: [text('scope') as Scope],
    ...(values.has('perMinute') && {
      perMinute: Number(text('perMinute')),
      perDay: Number(text('perDay')),
    }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}
