import { useState } from 'preact/hooks';
import { attempt } from '../../attempt.ts';
import { changeRecord } from '../../changes.ts';
import { confirm } from '../../components/confirm.tsx';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../notices.ts';
import { carryOut } from '../../outbox.ts';
import { type IssuedKey, type Key, store } from '../../service.ts';
import { person } from '../../session.ts';
import { NAME_MAX } from './key-choices.ts';

interface KeyActionsProps {
  readonly of: Key;
  readonly onChanged: () => void;
  readonly onIssued: (key: IssuedKey) => void;
}

/** What can be done to a key. One that has ended stays as it is. */
export function KeyActions({ of: key, onChanged, onIssued }: KeyActionsProps) {
  const [open, setOpen] = useState<'rename' | 'rotate'>();
  if (key.status !== 'active') return null;
  const close = () => setOpen(undefined);

  return (
    <div class="dialog-actions">
      <button type="button" class="button" onClick={() => setOpen('rename')}>
        Rename
      </button>
      {key.ban !== null && (
        <button type="button" class="button" onClick={() => attempt(() => unban(key, onChanged))}>
          Lift ban
        </button>
      )}
      <button type="button" class="button" onClick={() => setOpen('rotate')}>
        Rotate
      </button>
      <button
        type="button"
        class="button danger"
        onClick={() => attempt(() => revoke(key, onChanged))}
      >
        Revoke
      </button>
      {open === 'rename' && <Rename of={key} onClose={close} onChanged={onChanged} />}
      {open === 'rotate' && <Rotate of={key} onClose={close} onIssued={onIssued} />}
    </div>
  );
}

async function unban(key: Key, onChanged: () => void): Promise<void> {
  await carryOut({
    label: `Lift the ban of ${key.name}`,
    send: (idempotencyKey) => store.keys.unban(key.id, { idempotencyKey }),
    done() {
      notify(`${key.name} is no longer banned.`);
      onChanged();
    },
  });
}

async function revoke(key: Key, onChanged: () => void): Promise<void> {
  const isOwn = key.id === person.value?.id;
  const own = 'You are signed in with this key: you will be signed out. ';
  const sure = await confirm({
    title: `Revoke the key of ${key.name}?`,
    text: `${isOwn ? own : ''}Whoever uses it loses access at once. This cannot be undone.`,
    action: 'Revoke',
  });
  if (!sure) return;
  await carryOut({
    label: `Revoke the key of ${key.name}`,
    send: () => store.keys.revoke(key.id),
    done() {
      notify(`The key of ${key.name} is revoked.`);
      onChanged();
    },
  });
}

interface FormProps {
  readonly of: Key;
  readonly onClose: () => void;
}

function Rename({ of: key, onClose, onChanged }: FormProps & Pick<KeyActionsProps, 'onChanged'>) {
  // A newer version that is loaded under the form must not count as seen.
  const [seen] = useState(key);

  async function rename(values: FormData) {
    const name = String(values.get('name')).trim();
    if (name === seen.name) return;
    await changeRecord<Key>({
      label: `Rename the key of ${key.name}`,
      name: `the key of ${key.name}`,
      seen,
      wanted: { name },
      fields: [{ label: 'Name', show: (one) => one.name }],
      read: () => store.keys.get(key.id),
      update: (_wanted, ifMatch) => store.keys.update(key.id, { name }, { ifMatch }),
      done: onChanged,
    });
  }

  return (
    <FormDialog
      title={`Rename the key of ${key.name}`}
      action="Save"
      onSubmit={rename}
      onClose={onClose}
    >
      <Field
        {...{ label: 'Name', name: 'name', value: seen.name, maxLength: NAME_MAX }}
        check={(value) => (value.trim() === '' ? 'Enter a name.' : undefined)}
      />
    </FormDialog>
  );
}

const OVERLAPS = [
  { value: '86400', label: 'For a day' },
  { value: '3600', label: 'For an hour' },
  { value: '0', label: 'Not at all' },
];

function Rotate({ of: key, onClose, onIssued }: FormProps & Pick<KeyActionsProps, 'onIssued'>) {
  async function rotate(values: FormData) {
    const overlapSeconds = Number(values.get('overlap'));
    await carryOut({
      label: `Rotate the key of ${key.name}`,
      send: (idempotencyKey) => store.keys.rotate(key.id, { overlapSeconds }, { idempotencyKey }),
      done: onIssued,
    });
  }

  return (
    <FormDialog
      title={`Rotate the key of ${key.name}`}
      action="Rotate"
      onSubmit={rotate}
      onClose={onClose}
    >
      <p>A new key takes its place, with the same rights and limits.</p>
      <Select
        {...{ label: 'The old key still works', name: 'overlap', options: OVERLAPS }}
        value="86400"
      />
    </FormDialog>
  );
}
