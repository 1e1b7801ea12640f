import { categoryName, useCategories } from '../../categories.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Status } from '../../components/status.tsx';
import { type Column, type Selection, Table } from '../../components/table.tsx';
import { openDialog } from '../../router.ts';
import type { Pet } from '../../service.ts';
import { may } from '../../session.ts';
import { handleRowKey } from './row-keys.ts';
import { StatusSelect } from './status-select.tsx';

interface AnimalTableProps {
  readonly pets: readonly Pet[];
  readonly isLoading: boolean;
  readonly selection: Selection;
}

/** Animals, each with what can be done about it. */
export function AnimalTable({ pets, isLoading, selection }: AnimalTableProps) {
  useCategories();
  const mayWrite = may('write');
  const columns: readonly Column<Pet>[] = [
    { name: 'Name', cell: ({ name }) => name },
    {
      name: 'Status',
      cell: (pet) => (mayWrite ? <StatusSelect pet={pet} /> : <Status value={pet.status} />),
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
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        actions={(pet) => <Actions pet={pet} />}
        selection={mayWrite ? selection : undefined}
      />
    </div>
  );
}

function Actions({ pet }: { readonly pet: Pet }) {
  const { id, name, status } = pet;
  return (
    <div class="animal-actions">
      {status === 'available' && may('adopt') && (
        <a
          class="button quiet"
          href={`/console/adoptions?place=${id}`}
          aria-label={`Start adoption of ${name}`}
          data-control="adopt"
        >
          <Icon name="adoptions" />
          Start adoption
        </a>
      )}
      <Action pet={pet} label="History" icon="history" opens="history" />
      {may('write') && (
        <>
          <Action pet={pet} label="Edit" icon="edit" opens="edit" />
          <Action pet={pet} label="Remove" icon="remove" opens="remove" />
        </>
      )}
    </div>
  );
}

interface ActionProps {
  readonly pet: Pet;
  readonly label: string;
  readonly icon: IconName;
  /** The dialog that it opens, in the address. */
  readonly opens: string;
}

/** A button with a picture; on a phone, with a word too. */
function Action({ pet, label, icon, opens }: ActionProps) {
  return (
    <button
      type="button"
      class="button quiet animal-action"
      title={label}
      aria-label={`${label} ${label === 'History' ? 'of ' : ''}${pet.name}`}
      data-control={opens}
      onClick={() => openDialog({ animal: String(pet.id), open: opens })}
    >
      <Icon name={icon} />
      <span>{label}</span>
    </button>
  );
}
