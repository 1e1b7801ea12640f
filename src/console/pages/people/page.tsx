import { useState } from 'preact/hooks';
import { InAddress, open, showOnce } from '../../components/dialog.tsx';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { ListPage, usePage } from '../../components/list-page.tsx';
import { Actions } from '../../components/menu.tsx';
import { Status } from '../../components/status.tsx';
import type { Column } from '../../components/table.tsx';
import { formatAgo } from '../../format.ts';
import { submit } from '../../outbox.tsx';
import { setQuery } from '../../router.ts';
import { type InvitedPerson, type NewPerson, type Person, store } from '../../service.ts';
import { person as self } from '../../session.ts';
import { statusName } from '../../words.ts';

const PAGE_SIZE = 50;
const NAME_MAX = 255;

type Role = Person['role'];

const ROLES: Readonly<Record<Role, string>> = {
  viewer: 'Sees animals and adoptions, without personal details.',
  volunteer: 'Sees everything, and changes animals and adoptions.',
  manager: 'Does everything, also with people, keys and webhooks.',
};
const ROLE_OPTIONS = Object.keys(ROLES).map((value) => ({ value, label: statusName(value) }));

/** The people who work here: who may sign in, and what they may do. */
export default function PeoplePage() {
  const page = usePage((options) => store.people.list({ limit: PAGE_SIZE }, options), ['person']);

  return (
    <ListPage
      from={page}
      caption="People"
      lead="Those who work here. Everybody signs in with their own e-mail address and password."
      columns={COLUMNS}
      add={{ label: 'Add person', onClick: () => setQuery({ add: 'person' }) }}
      actions={(one) =>
        one.status !== 'removed' && (
          <Actions
            of={one.name}
            items={[
              { label: 'Change', onSelect: () => open(<PersonDialog seen={one} />) },
              { label: 'Invite again', onSelect: () => void invite(one) },
              { label: 'Remove', onSelect: () => void remove(one) },
            ]}
          />
        )
      }
    >
      <InAddress name="add">{() => <PersonDialog />}</InAddress>
    </ListPage>
  );
}

const COLUMNS: readonly Column<Person>[] = [
  { name: 'Name', cell: ({ name }) => name },
  { name: 'E-mail address', isWide: true, cell: ({ email }) => email },
  { name: 'Role', cell: ({ role }) => statusName(role) },
  { name: 'Status', cell: ({ status }) => <Status value={status} /> },
  {
    name: 'Last sign-in',
    cell: ({ lastSignInAt }) => (lastSignInAt === null ? 'Never' : formatAgo(lastSignInAt)),
  },
];

/** Adds a person, or changes the one that the manager has seen. */
function PersonDialog({ seen }: { readonly seen?: Person }) {
  const [role, setRole] = useState<Role>(seen?.role ?? 'volunteer');

  function send(field: ReadField): Promise<boolean> {
    const name = field('name');
    // The options are the values of the interface.
    const body: NewPerson = { name, email: field('email'), role: field('role') as Role };
    if (seen === undefined) {
      return submit({
        label: `Add ${name}`,
        call: (to) => to.people.create(body),
        done: showInvitation,
        isFleeting: true,
      });
    }
    const isLess = seen.id === self.value?.id && seen.role === 'manager' && body.role !== 'manager';
    return submit<Person>({
      label: `Change ${seen.name}`,
      ...(isLess && {
        asks: {
          title: 'Give up being a manager?',
          text: 'This is you. Only another manager can give it back to you.',
          action: 'Give it up',
        },
      }),
      call: (to) => to.people.update(seen.id, body),
      edits: { seen, name: seen.name },
      says: (changed) => `${changed.name} is changed.`,
    });
  }

  return (
    <FormDialog
      title={seen ? `Change ${seen.name}` : 'Add person'}
      action={seen ? 'Save' : 'Add person'}
      onSubmit={send}
    >
      <Field
        label="Name"
        name="name"
        value={seen?.name ?? ''}
        maxLength={NAME_MAX}
        needs="a name"
      />
      <Field
        label="E-mail address"
        name="email"
        value={seen?.email ?? ''}
        needs="an e-mail address"
        more={{ type: 'email' }}
      />
      <Select
        label="Role"
        name="role"
        value={role}
        options={ROLE_OPTIONS}
        hint={ROLES[role]}
        onValue={(value) => setRole(value as Role)}
      />
    </FormDialog>
  );
}

function showInvitation({ name, invitation }: InvitedPerson): void {
  void showOnce(
    `The invitation of ${name}`,
    invitation,
    `Send this address to ${name}, who chooses a password there. It works once, for seven days, and cannot be shown again.`,
  );
}

function invite(person: Person): Promise<boolean> {
  return submit({
    label: `Invite ${person.name}`,
    asks: {
      title: `Invite ${person.name} again?`,
      text: 'For somebody who has forgotten the password or lost the invitation: the earlier one ends.',
      action: 'Invite',
      isHarmless: true,
    },
    call: (to) => to.people.invite(person.id),
    done: showInvitation,
    isFleeting: true,
  });
}

function remove({ id, name }: Person): Promise<boolean> {
  const isSelf = id === self.value?.id;
  return submit({
    label: `Remove ${name}`,
    asks: {
      title: `Remove ${name}?`,
      text: isSelf
        ? 'This is you. You are signed out at once and cannot sign in again. What you did stays under your name.'
        : 'They are signed out at once and cannot sign in again. What they did stays under their name.',
      action: `Remove ${name}`,
    },
    call: (to) => to.people.remove(id),
    says: `${name} is removed.`,
  });
}
