import { isPetStatus, PET_STATUSES, type PetStatus } from '../domain/pet.ts';
import { shortReason } from './failure-reason.ts';
import { WrongMapping } from './wrong-mapping.ts';

/** The status of the animal, or `skip` to leave the row out. */
export type StatusChoice = PetStatus | 'skip';

/** Maps the values of the status column. */
export type StatusMap = ReadonlyMap<string, StatusChoice>;

/** Stands for every value that the map does not name. */
const REST = '*';

/** Reads `Adoption=sold,Died=skip,*=available`. Throws `WrongMapping` for a wrong one. */
export function parseStatusMap(text: string): StatusMap {
  const map = new Map<string, StatusChoice>();
  for (const item of text.split(',')) {
    // Split at the last =, so that a value may contain one.
    const sign = item.lastIndexOf('=');
    const choice = item.slice(sign + 1).trim();
    if (sign < 0 || (choice !== 'skip' && !isPetStatus(choice))) {
      throw new WrongMapping(
        `"${shortReason(item)}" must be VALUE=STATUS, where STATUS is ${PET_STATUSES.join(', ')} or skip.`,
      );
    }
    const value = item.slice(0, sign).trim();
    if (map.has(value)) throw new WrongMapping(`It maps "${shortReason(value)}" twice.`);
    map.set(value, choice);
  }
  return map;
}

/**
 * Maps a value; undefined if it has no mapping. Without a map the statuses stand for themselves, and
 * an empty value means available.
 */
export function statusOf(value: string, map: StatusMap | undefined): StatusChoice | undefined {
  if (map !== undefined) return map.get(value) ?? map.get(REST);
  if (value === '') return 'available';
  return isPetStatus(value) ? value : undefined;
}
