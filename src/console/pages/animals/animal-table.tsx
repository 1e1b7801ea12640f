import { categoryName } from '../../categories.ts';
import { AnimalPicture } from '../../components/animal-picture.tsx';
import { Actions, Menu } from '../../components/menu.tsx';
import { Status } from '../../components/status.tsx';
import { type Column, type Selection, sameControl, Table } from '../../components/table.tsx';
import { undoLast } from '../../notices.tsx';
import { withQuery } from '../../router.ts';
import type { Pet, PetStatus } from '../../service.ts';
import { may } from '../../session.ts';
import { statusName } from '../../words.ts';
import { changeStatus, chosenStatus, removeAnimal } from './change-animal.ts';

interface AnimalTableProps {
  readonly pets: readonly Pet[];
  readonly isLoading: boolean;
  readonly selection: Selection;
}

/** Animals, each with what can be done about it. */
export function AnimalTable({ pets, isLoading, selection }: AnimalTableProps) {
  const mayWrite = may('write');
  const columns: readonly Column<Pet>[] = [
    {
      name: 'Name',
      cell: (pet) => (
        <a class="row animal-name" href={`/console/animals/${pet.id}`} data-control="name">
          <AnimalPicture id={pet.id} size={44} />
          {pet.name}
        </a>
      ),
    },
    {
      name: 'Status',
      cell: (pet) => (mayWrite ? <StatusMenu pet={pet} /> : <Status value={pet.status} />),
    },
    { name: 'Category', cell: ({ categoryId }) => categoryName(categoryId) },
  ];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the controls inside arrive here
    <div
      class="animals"
      aria-busy={isLoading}
      onKeyDown={(event) => mayWrite && handleRowKey(event, pets)}
    >
      <Table
        caption="Animals"
        columns={columns}
        items={pets}
        actions={(pet) => <RowActions pet={pet} />}
        selection={mayWrite ? { ...selection, nameOf: ({ name }) => name } : undefined}
      />
    </div>
  );
}

/** The status of an animal. A choice is sent at once. */
export function StatusMenu({ pet }: { readonly pet: Pet }) {
  const shown = chosenStatus(pet) ?? pet.status;
  return (
    <Menu
      label={`Status of ${pet.name}: ${statusName(shown)}`}
      kind="status-button"
      control="status"
      items={Object.entries(STATUS_KEYS).map(([key, status]) => ({
        label: (
          <>
            <Status value={status} />
            <small>{key.toUpperCase()}</small>
          </>
        ),
        isChecked: status === shown,
        onSelect: () => void changeStatus(pet, status),
      }))}
    >
      <Status value={shown} />
    </Menu>
  );
}

function RowActions({ pet }: { readonly pet: Pet }) {
  const { id, name, status } = pet;
  const adoption = `/console/adoptions?place=${id}`;
  const mayAdopt = status === 'available' && may('adopt');
  const items = [
    ...(mayAdopt ? [{ label: 'Start adoption', href: adoption }] : []),
    ...(may('write')
      ? [
          { label: 'Edit', href: withQuery({ animal: String(id), open: 'edit' }) },
          { label: 'Remove', onSelect: () => void removeAnimal(pet) },
        ]
      : []),
  ];
  return (
    <div class="row row-actions">
      {mayAdopt && (
        <a
          class="button quiet small seldom"
          href={adoption}
          aria-label={`Start adoption of ${name}`}
          data-control="adopt"
        >
          Start adoption
        </a>
      )}
      {items.length > 0 && <Actions of={name} items={items} />}
    </div>
  );
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
