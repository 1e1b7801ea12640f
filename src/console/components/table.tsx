// biome-ignore-all lint/a11y/noRedundantRoles: Safari forgets them where a table is shown as cards
import type { ComponentChildren } from 'preact';

/** A column of a table. */
export interface Column<T> {
  readonly name: string;
  cell(item: T): ComponentChildren;
  readonly isNumber?: boolean;
}

/** Rows that the person has chosen, by their keys. */
export interface Selection {
  readonly selected: ReadonlySet<string>;
  change(selected: ReadonlySet<string>): void;
}

interface TableProps<T> {
  /** What the table shows: read to people who cannot see it. */
  readonly caption: string;
  /** The first column names the row. */
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string | number | bigint;
  /** The name of a row, for the labels of its checkbox and its actions. */
  readonly nameOf: (item: T) => string;
  /** Buttons at the end of a row. */
  readonly actions?: (item: T) => ComponentChildren;
  readonly selection?: Selection | undefined;
}

/** A table; on a phone, a list of cards. Its roles are explicit, since cards would lose them. */
export function Table<T>({ caption, columns, items, selection, actions, ...props }: TableProps<T>) {
  const keys = items.map((item) => String(props.keyOf(item)));
  return (
    <table class="table" role="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {selection && <HeadCheckbox keys={keys} selection={selection} />}
          {columns.map(({ name, isNumber }) => (
            <th key={name} role="columnheader" scope="col" class={isNumber ? 'number' : undefined}>
              {name}
            </th>
          ))}
          {actions && (
            <th role="columnheader" scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {items.map((item, index) => (
          <tr
            key={keys[index]}
            role="row"
            data-selected={selection?.selected.has(keys[index] ?? '')}
          >
            {selection && (
              <td role="cell" class="choice">
                <RowCheckbox
                  rowKey={keys[index] ?? ''}
                  name={props.nameOf(item)}
                  selection={selection}
                />
              </td>
            )}
            {columns.map((column, place) => (
              <Cell key={column.name} column={column} item={item} isFirst={place === 0} />
            ))}
            {actions && (
              <td role="cell" class="actions">
                {actions(item)}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface CellProps<T> {
  readonly column: Column<T>;
  readonly item: T;
  readonly isFirst: boolean;
}

function Cell<T>({ column, item, isFirst }: CellProps<T>) {
  const content = column.cell(item);
  if (isFirst) {
    return (
      <th role="rowheader" scope="row">
        {content}
      </th>
    );
  }
  return (
    <td role="cell" class={column.isNumber ? 'number' : undefined} data-label={column.name}>
      {content}
    </td>
  );
}

interface HeadCheckboxProps {
  readonly keys: readonly string[];
  readonly selection: Selection;
}

/** Chooses all rows, or none. */
function HeadCheckbox({ keys, selection }: HeadCheckboxProps) {
  const { selected, change } = selection;
  const isAll = keys.length > 0 && keys.every((key) => selected.has(key));
  return (
    <th role="columnheader" scope="col" class="choice">
      <input
        type="checkbox"
        aria-label="Select all on this page"
        checked={isAll}
        indeterminate={!isAll && keys.some((key) => selected.has(key))}
        onChange={() => change(new Set(isAll ? [] : keys))}
      />
    </th>
  );
}

interface RowCheckboxProps {
  readonly rowKey: string;
  readonly name: string;
  readonly selection: Selection;
}

function RowCheckbox({ rowKey, name, selection }: RowCheckboxProps) {
  const { selected, change } = selection;

  function toggle() {
    const next = new Set(selected);
    if (!next.delete(rowKey)) next.add(rowKey);
    change(next);
  }

  return (
    <input
      type="checkbox"
      aria-label={`Select ${name}`}
      checked={selected.has(rowKey)}
      onChange={toggle}
    />
  );
}
