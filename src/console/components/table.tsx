// biome-ignore-all lint/a11y/noRedundantRoles: Safari forgets them where a table is shown as cards

import type { ComponentChildren } from 'preact';
import { t } from '../language.ts';
import { query, withQuery } from '../router.ts';

/** A column of a table. */
export interface Column<T> {
  readonly name: string;
  cell(item: T): ComponentChildren;
  /** The value of `sort` in the address that orders the rows by it. */
  readonly sort?: string;
  /** Whether only a wide table has room for it. */
  readonly isSeldom?: boolean;
  readonly isNumber?: boolean;
  /** Whether its texts are longer than those of others, such as addresses. */
  readonly isWide?: boolean;
}

/** Beside more columns, the one that names the row would get too little room. */
const COLUMNS_ROOMY = 4;

/** Rows that the person has chosen, by their keys. */
export interface Selection {
  readonly selected: ReadonlySet<string>;
  change(selected: ReadonlySet<string>): void;
}

export interface TableProps<T> {
  /** What the table shows: read to people who cannot see it. */
  readonly caption: string;
  /** The first column names the row. */
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  /** Tells the rows apart; by default their `id`. */
  readonly keyOf?: (item: T) => unknown;
  /** Buttons at the end of a row. */
  readonly actions?: ((item: T) => ComponentChildren) | undefined;
  readonly selection?: (Selection & { readonly nameOf: (item: T) => string }) | undefined;
}

/** A table; where it has little room, a list of cards. Its roles are explicit, since cards would lose them. */
export function Table<T>({ caption, columns, items, selection, actions, ...props }: TableProps<T>) {
  const { keyOf = (item: T) => Reflect.get(Object(item), 'id') } = props;
  const keys = items.map((item) => String(keyOf(item)));
  const classOf = ({ isNumber, isWide, isSeldom }: Column<T>) =>
    isNumber ? 'number' : isWide ? 'wide' : isSeldom ? 'roomy' : undefined;
  const sorted = query.value.get('sort');
  const isCrowded = columns.length > COLUMNS_ROOMY;
  return (
    <div class="table-room">
      <table class="table" role="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {selection && (
              <th role="columnheader" scope="col" class="choice">
                <Choice label={t`Select all on this page`} keys={keys} selection={selection} />
              </th>
            )}
            {columns.map((column, index) => (
              <th
                key={column.name}
                role="columnheader"
                scope="col"
                class={index === 0 && isCrowded ? 'naming' : classOf(column)}
                aria-sort={column.sort && column.sort === sorted ? 'ascending' : undefined}
              >
                {column.sort === undefined ? column.name : <SortLink column={column} />}
              </th>
            ))}
            {actions && (
              <th role="columnheader" scope="col" class="actions">
                <span class="visually-hidden">{t`Actions`}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {items.map((item, index) => {
            const [first, ...others] = columns;
            const key = keys[index] ?? '';
            return (
              <tr key={key} role="row" data-selected={selection?.selected.has(key)}>
                {selection && (
                  <td role="cell" class="choice">
                    <Choice
                      label={t`Select ${selection.nameOf(item)}`}
                      keys={[key]}
                      selection={selection}
                    />
                  </td>
                )}
                {first && (
                  <th role="rowheader" scope="row" class={classOf(first)}>
                    {first.cell(item)}
                  </th>
                )}
                {others.map((column) => (
                  <td
                    key={column.name}
                    role="cell"
                    class={classOf(column)}
                    data-label={column.name}
                  >
                    {column.cell(item)}
                  </td>
                ))}
                {actions && (
                  <td role="cell" class="actions">
                    {actions(item)}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Orders the rows by a column; the one that they are ordered by, as they were at first. */
function SortLink({ column: { name, sort } }: { readonly column: Column<never> }) {
  const isSorted = query.value.get('sort') === sort;
  return (
    <a href={withQuery({ sort: isSorted ? undefined : sort, page: undefined })}>
      {name}
      <span aria-hidden="true">{isSorted ? ' ↑' : ' ↕'}</span>
    </a>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly keys: readonly string[];
  readonly selection: Selection;
}

/** Chooses rows, or no longer does. */
function Choice({ label, keys, selection: { selected, change } }: ChoiceProps) {
  const isAll = keys.every((key) => selected.has(key));

  function toggle() {
    const others = [...selected].filter((key) => !keys.includes(key));
    change(new Set(isAll ? others : [...others, ...keys]));
  }

  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={isAll}
      indeterminate={!isAll && keys.some((key) => selected.has(key))}
      onChange={toggle}
    />
  );
}

/** Returns the control of a row that does what `like` does in its own, or else its first one. */
export function sameControl(row: Element, like: HTMLElement): HTMLElement | null {
  const { control } = like.dataset;
  const same = control && row.querySelector<HTMLElement>(`[data-control="${control}"]`);
  return same || row.querySelector<HTMLElement>('input, a, button');
}
