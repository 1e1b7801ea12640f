import { InvalidArgumentError } from 'commander';
import { isPetStatus, PET_STATUSES, type PetStatus } from '../../domain/pet.ts';

/** What becomes of a row: its animal gets a status, or the row is left out. */
export type StatusChoice = PetStatus | 'skip';

/** What the values of a status column mean. */
export type StatusMap = ReadonlyMap<string, StatusChoice>;

/** Stands for every value that the map does not name. */
const REST = '*';

/** Reads `Adoption=sold,Died=skip,*=available`. Throws `InvalidArgumentError` for a wrong one. */
export function statusMapArgument(text: string): StatusMap {
  const map = new Map<string, StatusChoice>();
  for (const item of text.split(',')) {
    // The last sign parts them, so that a value may hold one.
    const sign = item.lastIndexOf('=');
    const choice = item.slice(sign + 1).trim();
    if (sign < 0 || (choice !== 'skip' && !isPetStatus(choice))) {
      throw new InvalidArgumentError(
        `"${item}" must be VALUE=STATUS, with a status of ${PET_STATUSES.join(', ')} or skip.`,
      );
    }
    const value = item.slice(0, sign).trim();
    if (map.has(value)) throw new InvalidArgumentError(`It says twice what "${value}" means.`);
    map.set(value, choice);
  }
  return map;
}

/**
 * What a value means; undefined where nothing says so. Without a map the statuses stand for
 * themselves, and an empty value means available.
 */
export function statusOf(value: string, map: StatusMap | undefined): StatusChoice | undefined {
  if (map !== undefined) return map.get(value) ?? map.get(REST);
  if (value === '') return 'available';
  return isPetStatus(value) ? value : undefined;
}
