import { Icon } from '../../components/icon.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatNumber } from '../../format.ts';
import type { Category } from '../../service.ts';
import { may } from '../../session.ts';

interface CategoryTableProps {
  readonly categories: readonly Category[];
  /** The number of animals of each category, as far as it is known. */
  readonly animals: ReadonlyMap<number, number>;
  readonly onRename: (category: Category) => void;
  readonly onRemove: (category: Category) => void;
}

/** A page of categories, each with its animals. */
export function CategoryTable({ categories, animals, onRename, onRemove }: CategoryTableProps) {
  const columns: readonly Column<Category>[] = [
    { name: 'Name', cell: ({ name }) => name },
    {
      name: 'Animals',
      isNumber: true,
      cell: ({ id }) => (
        <a href={`/console/animals?category=${id}`}>{formatNumber(animals.get(id) ?? 0)}</a>
      ),
    },
  ];

  const actions = (category: Category) => (
    <>
      <button
        type="button"
        class="button quiet"
        aria-label={`Rename ${category.name}`}
        onClick={() => onRename(category)}
      >
        <Icon name="edit" />
        Rename
      </button>
      <button
        type="button"
        class="button quiet"
        aria-label={`Remove ${category.name}`}
        onClick={() => onRemove(category)}
      >
        <Icon name="remove" />
        Remove
      </button>
    </>
  );

  return (
    <Table
      caption="Categories"
      columns={columns}
      items={categories}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      {...(may('write') && { actions })}
    />
  );
}
