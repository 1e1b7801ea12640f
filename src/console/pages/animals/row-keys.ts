/** Keys that work in a row of animals. */
import { undoLast } from '../../notices.tsx';
import type { Pet, PetStatus } from '../../service.ts';
import { changeStatus } from './change-animal.ts';

/** What the menu of a row shows beside its statuses too. */
export const STATUS_KEYS: Readonly<Record<string, PetStatus>> = {
  a: 'available',
  p: 'pending',
  s: 'sold',
};
const UNDO_KEY = 'z';

/** Handles a key in the table: a status for the row, or the same control of the next row. */
export function handleRowKey(event: KeyboardEvent, pets: readonly Pet[]): void {
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

/** Returns the control of a row that does what `like` does in its own, or else its first one. */
export function sameControl(row: Element, like: HTMLElement): HTMLElement | null {
  const { control } = like.dataset;
  const same = control && row.querySelector<HTMLElement>(`[data-control="${control}"]`);
  return same || row.querySelector<HTMLElement>('input, a, button');
}
