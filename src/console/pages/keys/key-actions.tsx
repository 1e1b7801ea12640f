import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/dialog.tsx';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog } from '../../components/form.tsx';
import { attempt } from '../../notices.tsx';
import { type Change, submit } from '../../outbox.tsx';
import type { IssuedKey, Key } from '../../service.ts';
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

  const unban = () =>
    submit({
      label: `Lift the ban of ${key.name}`,
      call: (to) => to.keys.unban(key.id),
      says: `${key.name} is no longer banned.`,
      done: onChanged,
    });

  return (
    <div class="dialog-actions">
      <Button onClick={() => setOpen('rename')}>Rename</Button>
      {key.ban !== null && <Button onClick={() => attempt(unban)}>Lift ban</Button>}
      <Button onClick={() => setOpen('rotate')}>Rotate</Button>
      <Button kind="danger" onClick={() => attempt(() => revoke(key, onChanged))}>
        Revoke
      </Button>
      {open === 'rename' && <Rename of={key} onClose={close} onDone={onChanged} />}
      {open === 'rotate' && <Rotate of={key} onClose={close} onDone={onIssued} />}
    </div>
  );
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
  await submit({
    label: `Revoke the key of ${key.name}`,
    call: (to) => to.keys.revoke(key.id),
    says: `The key of ${key.name} is revoked.`,
    done: onChanged,
  });
}

interface FormProps<T> {
  readonly of: Key;
  readonly onClose: () => void;
  readonly onDone: NonNullable<Change<T>['done']>;
}

function Rename({ of: key, onClose, onDone }: FormProps<Key>) {
  // A newer version that is loaded under the form must not count as seen.
  const [seen] = useState(key);
  const title = `Rename the key of ${key.name}`;
  const rename = (name: string) =>
    submit<Key>({
      label: title,
      call: (to) => to.keys.update(key.id, { name }),
      edits: { seen, name: `the key of ${key.name}` },
      done: onDone,
    });
  return (
    <FormDialog
      title={title}
      action="Save"
      onSubmit={(field) => rename(field('name'))}
      onClose={onClose}
    >
      <Field label="Name" name="name" value={seen.name} maxLength={NAME_MAX} needs="a name" />
    </FormDialog>
  );
}

const OVERLAPS = [
  { value: '86400', label: 'For a day' },
  { value: '3600', label: 'For an hour' },
  { value: '0', label: 'Not at all' },
];

function Rotate({ of: key, onClose, onDone }: FormProps<IssuedKey>) {
  const title = `Rotate the key of ${key.name}`;
  const rotate = (overlapSeconds: number) =>
    submit({
      label: title,
      call: (to) => to.keys.rotate(key.id, { overlapSeconds }),
      done: onDone,
      isFleeting: true,
    });
  return (
    <FormDialog
      title={title}
      action="Rotate"
      onSubmit={(field) => rotate(Number(field('overlap')))}
      onClose={onClose}
    >
      <p>A new key takes its place, with the same rights and limits.</p>
      <Select label="The old key still works" name="overlap" options={OVERLAPS} value="86400" />
    </FormDialog>
  );
}
