import { useState } from 'preact/hooks';
import { InAddress, open, showOnce } from '../../components/dialog.tsx';
import { Status } from '../../components/facts.tsx';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { ListPage, usePage } from '../../components/list-page.tsx';
import { Actions } from '../../components/menu.tsx';
import type { Column } from '../../components/table.tsx';
import { formatAgo } from '../../format.ts';
import { t } from '../../language.ts';
import { submit } from '../../outbox.tsx';
import { setQuery } from '../../router.ts';
import { type InvitedPerson, type NewPerson, type Person, store } from '../../service.ts';
import { person as self } from '../../session.ts';
import { optionsOf, statusName } from '../../words.ts';

const PAGE_SIZE = 50;
const NAME_MAX = 255;

type Role = Person['role'];

const ROLES: Readonly<Record<Role, string>> = {
  viewer: t`Sees animals and adoptions, without personal details.`,
  volunteer: t`Sees everything, and changes animals and adoptions.`,
  manager: t`Does everything, also with people, keys and webhooks.`,
};
const ROLE_OPTIONS = optionsOf(Object.keys(ROLES));

/** The people who work here: who may sign in, and what they may do. */
export default function PeoplePage() {
  const page = usePage((options) => store.people.list({ limit: PAGE_SIZE }, options), ['person']);

  return (
    <ListPage
      from={page}
      caption={t`People`}
      lead={t`Those who work here. Everybody signs in with their own e-mail address and password.`}
      columns={COLUMNS}
      add={{ label: t`Add person`, onClick: () => setQuery({ add: 'person' }) }}
      actions={(one) =>
        one.status !== 'removed' && (
          <Actions
            of={one.name}
            items={[
              { label: t`Change`, onSelect: () => open(<PersonDialog seen={one} />) },
              { label: t`Invite again`, onSelect: () => void invite(one) },
              { label: t`Remove`, onSelect: () => void remove(one) },
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
  { name: t`Name`, cell: ({ name }) => name },
  { name: t`E-mail address`, isWide: true, cell: ({ email }) => email },
  { name: t`Role`, cell: ({ role }) => statusName(role) },
  { name: t`Status`, cell: ({ status }) => <Status value={status} /> },
  {
    name: t`Last sign-in`,
    cell: ({ lastSignInAt }) => (lastSignInAt === null ? t`Never` : formatAgo(lastSignInAt)),
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
        label: t`Add ${name}`,
        call: (to) => to.people.create(body),
        done: showInvitation,
        isFleeting: true,
      });
    }
    const isLess = seen.id === self.value?.id && seen.role === 'manager' && body.role !== 'manager';
    return submit<Person>({
      label: t`Change ${seen.name}`,
      ...(isLess && {
        asks: {
          title: t`Give up being a manager?`,
          text: t`This is you. Only another manager can give it back to you.`,
          action: t`Give it up`,
        },
      }),
      call: (to) => to.people.update(seen.id, body),
      edits: { seen, name: seen.name },
      says: (changed) => t`${changed.name} was changed.`,
    });
  }

  return (
    <FormDialog title={seen ? t`Change ${seen.name}` : t`Add person`} of={seen} onSubmit={send}>
      <Field name="name" maxLength={NAME_MAX} needs={t`a name`} />
      <Field name="email" needs={t`an e-mail address`} more={{ type: 'email' }} />
      <Select
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
    t`The invitation of ${name}`,
    invitation,
    t`Send this address to ${name}, who chooses a password there. It works once, for seven days, and cannot be shown again.`,
  );
}

function invite(person: Person): Promise<boolean> {
  return submit({
    label: t`Invite ${person.name}`,
    asks: {
      title: t`Invite ${person.name} again?`,
      text: t`For somebody who has forgotten the password or lost the invitation. Earlier invitations stop working.`,
      action: t`Invite`,
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
    label: t`Remove ${name}`,
    asks: {
      title: t`Remove ${name}?`,
      text: isSelf
        ? t`This is you. You are signed out at once and cannot sign in again. What you did stays under your name.`
        : t`They are signed out at once and cannot sign in again. What they did stays under their name.`,
      action: t`Remove`,
    },
    call: (to) => to.people.remove(id),
    says: t`${name} is removed.`,
  });
}
