import { bringBack } from '../../audit-lines.tsx';
import { categoryName } from '../../categories.ts';
import { AnimalPicture } from '../../components/animal-picture.tsx';
import { Button } from '../../components/button.tsx';
import { Status, standingOf } from '../../components/facts.tsx';
import { Actions, Menu } from '../../components/menu.tsx';
import { type Column, type Selection, sameControl, Table } from '../../components/table.tsx';
import { formatDate } from '../../format.ts';
import { t } from '../../language.ts';
import { undoLast } from '../../notices.tsx';
import { withQuery } from '../../router.ts';
import type { Animal, Pet, PetStatus } from '../../service.ts';
import { may } from '../../session.ts';
import { statusName } from '../../words.ts';
import { changeStatus, chosenStatus, removeAnimal } from './change-animal.ts';

/** An animal in the list: for staff, with what else is known. */
export type AnimalRow = Pick<Animal, 'pet'> & Partial<Animal>;

interface AnimalTableProps {
  readonly animals: readonly AnimalRow[];
  /** Whether they were removed: they can only be brought back. */
  readonly areRemoved: boolean;
  readonly isLoading: boolean;
  readonly selection: Selection;
}

/** Animals, each with what can be done about it. */
export function AnimalTable({ animals, areRemoved, isLoading, selection }: AnimalTableProps) {
  const mayChange = may('write') && !areRemoved;
  const pets = animals.map(({ pet }) => pet);
  const columns: readonly Column<AnimalRow>[] = [
    {
      name: t`Name`,
      ...(may('write') && { sort: 'name' }),
      cell: ({ pet }) => (
        <a class="row animal-name" href={`/console/animals/${pet.id}`} data-control="name">
          {!areRemoved && <AnimalPicture id={pet.id} size={44} />}
          {pet.name}
        </a>
      ),
    },
    {
      name: t`Status`,
      cell: ({ pet, stay }) =>
        mayChange ? (
          <StatusMenu pet={pet} stay={stay} />
        ) : (
          <Status value={standingOf(pet.status, stay)} />
        ),
    },
    { name: t`Category`, cell: ({ pet }) => categoryName(pet.categoryId) },
    ...(may('write') ? STAFF_COLUMNS : []),
  ];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the controls inside arrive here
    <div
      class="animals"
      aria-busy={isLoading}
      onKeyDown={(event) => mayChange && handleRowKey(event, pets)}
    >
      <Table
        caption={t`Animals`}
        columns={columns}
        items={animals}
        keyOf={({ pet }) => pet.id}
        actions={({ pet }) =>
          areRemoved ? (
            <Button
              kind="small"
              label={t`Bring back ${pet.name}`}
              onClick={() => bringBack(pet)}
            >{t`Bring back`}</Button>
          ) : (
            <RowActions pet={pet} />
          )
        }
        selection={mayChange ? { ...selection, nameOf: ({ pet }) => pet.name } : undefined}
      />
    </div>
  );
}

const STAFF_COLUMNS: readonly Column<AnimalRow>[] = [
  { name: t`Breed`, isSeldom: true, cell: ({ profile }) => profile?.breed },
  { name: t`Place`, sort: 'location', cell: ({ profile }) => profile?.location },
  {
    name: t`In care since`,
    sort: 'waiting',
    cell: ({ profile }) => profile?.inCareSince && formatDate(profile.inCareSince),
  },
];

/** The status of an animal. A choice is sent at once. */
export function StatusMenu({ pet, stay }: Pick<AnimalRow, 'pet' | 'stay'>) {
  const chosen = chosenStatus(pet) ?? pet.status;
  const shown = standingOf(chosen, stay);
  return (
    <Menu
      label={t`Status of ${pet.name}: ${statusName(shown)}`}
      kind="status-button"
      control="status"
      items={Object.entries(STATUS_KEYS).map(([key, status]) => ({
        label: (
          <>
            <Status value={status} />
            <small>{key.toUpperCase()}</small>
          </>
        ),
        isChecked: status === chosen,
        onSelect: () => void changeStatus(pet, status),
      }))}
    >
      <Status value={shown} />
    </Menu>
  );
}

function RowActions({ pet }: { readonly pet: Pet }) {
  const { id, name, status } = pet;
  const items = [
    ...(status === 'available' && may('adopt')
      ? [{ label: t`Start adoption`, href: `/console/adoptions?place=${id}` }]
      : []),
    ...(may('write')
      ? [
          { label: t`Edit`, href: withQuery({ animal: String(id), open: 'edit' }) },
          { label: t`Remove`, onSelect: () => void removeAnimal(pet) },
        ]
      : []),
  ];
  return items.length > 0 && <Actions of={name} items={items} />;
}

/** What the menu of a row shows beside its statuses too. */
const STATUS_KEYS: Readonly<Record<string, PetStatus>> = {
  a: 'available',
  p: 'pending',
  s: 'sold',
};
const UNDO_KEY = 'z';

/** Handles a key in the table: a status for the row, or the same control of the next row. */
function handleRowKey(event: KeyboardEvent, pets: readonly Pet[]): void {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return;
  const row = target.closest('tbody tr');
  if (!(row instanceof HTMLTableRowElement)) return;
  const pet = pets[row.sectionRowIndex];
  const status = STATUS_KEYS[key.toLowerCase()];
  if (pet !== undefined && status !== undefined) {
    event.preventDefault();
    void changeStatus(pet, status);
  }
  if (key.toLowerCase() === UNDO_KEY) {
    event.preventDefault();
    undoLast();
  }
  const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[key];
  if (!next) return;
  event.preventDefault();
  sameControl(next, target)?.focus();
}
