import { Button } from '../../components/button.tsx';
import { open } from '../../components/dialog.tsx';
import { Field, type Options } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { Menu, type MenuItem } from '../../components/menu.tsx';
import { t } from '../../language.ts';
import { notify } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import type { Enquiry, StaffMember } from '../../service.ts';
import { person } from '../../session.ts';
import { staff } from '../../staff.ts';

const NOTE_MAX = 2_000;

/** Who takes care of an enquiry, what staff have noted about it, and what changes both. */
export function Care({ enquiry }: { readonly enquiry: Enquiry }) {
  const { name, note } = enquiry;
  const edit = note === undefined ? t`Add note` : t`Edit note`;
  return (
    <div class="care">
      {note !== undefined && <p class="written care-note">{note}</p>}
      <div class="row">
        <Menu
          label={t`Who takes care of the enquiry of ${name}: ${ownerText(enquiry)}`}
          kind="button quiet small"
          control="owner"
          items={ownerItems(enquiry)}
        >
          {ownerText(enquiry)} <span aria-hidden="true">▾</span>
        </Menu>
        <Button
          kind="quiet small"
          label={t`${edit}: the enquiry of ${name}`}
          onClick={() => open(<NoteDialog enquiry={enquiry} />)}
        >
          {edit}
        </Button>
      </div>
    </div>
  );
}

/** `You take care of it`, `Maria takes care of it`, `Nobody takes care of it` */
function ownerText({ ownerId, ownerName }: Enquiry): string {
  if (ownerId === undefined) return t`Nobody takes care of it`;
  if (ownerId === person.value?.id) return t`You take care of it`;
  const name = ownerName ?? t`Somebody`;
  const isThere = staff.value?.some(({ id }) => id === ownerId) ?? true;
  return isThere ? t`${name} takes care of it` : t`${name} can no longer take care of it`;
}

function ownerItems(enquiry: Enquiry): readonly MenuItem[] {
  const own = person.value?.id;
  const item = (label: string, ownerId: StaffMember['id'] | null): MenuItem => ({
    label,
    isChecked: (enquiry.ownerId ?? null) === ownerId,
    onSelect: () => void give(enquiry, ownerId),
  });
  const all = staff.value ?? [];
  return [
    ...all.filter(({ id }) => id === own).map(({ id }) => item(t`Me`, id)),
    ...all.filter(({ id }) => id !== own).map(({ id, name }) => item(name, id)),
    item(t`Nobody`, null),
  ];
}

/** Has somebody take care of an enquiry, which can be undone. */
async function give(enquiry: Enquiry, ownerId: StaffMember['id'] | null): Promise<void> {
  const before = enquiry.ownerId ?? null;
  if (ownerId === before) return;
  await setOwner(enquiry, ownerId, (changed) => {
    if ((changed.ownerId ?? null) !== ownerId) return;
    // Who has left cannot get it back.
    const undo = before === null || staff.value?.some(({ id }) => id === before);
    const text = t`The enquiry of ${enquiry.name}: ${ownerText(changed)}`;
    notify(`${text}.`, undo ? () => setOwner(changed, before) : undefined);
  });
}

function setOwner(
  enquiry: Enquiry,
  ownerId: StaffMember['id'] | null,
  done?: (changed: Enquiry) => void,
): Promise<boolean> {
  const { id, name } = enquiry;
  return submit<Enquiry>({
    label: t`Who takes care of the enquiry of ${name}`,
    call: (to) => to.enquiries.update(id, { ownerId }),
    edits: { seen: enquiry, name: t`the enquiry of ${name}` },
    done,
  });
}

/** A note of staff on an enquiry. Without words there is none. */
function NoteDialog({ enquiry }: { readonly enquiry: Enquiry }) {
  const { id, name } = enquiry;
  const title = t`Note on the enquiry of ${name}`;
  const save = (field: ReadField) =>
    submit<Enquiry>({
      label: title,
      call: (to) => to.enquiries.update(id, { note: field('note') || null }),
      edits: { seen: enquiry, name: t`the enquiry of ${name}` },
    });
  return (
    <FormDialog title={title} of={enquiry} onSubmit={save}>
      <Field
        name="note"
        type="textarea"
        rows={6}
        maxLength={NOTE_MAX}
        hint={t`For those who work here. ${name} never sees it.`}
      />
    </FormDialog>
  );
}

/** What the address says of who takes care: `me`, `none` or the id of a person; anything else is everybody. */
export function ownerWanted(text: string | null): StaffMember['id'] | 'none' | undefined {
  if (text === 'none') return 'none';
  if (text === 'me') return person.value?.id;
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

export function ownerChoices(all: readonly StaffMember[]): Options {
  const own = person.value;
  return [
    ['', t`Everybody’s`],
    ...(own?.isStaff ? [['me', t`Mine`] as const] : []),
    ['none', t`Nobody’s`],
    ...all.filter(({ id }) => id !== own?.id).map(({ id, name }) => [String(id), name] as const),
  ];
}
