import type { Channel } from '../../service.ts';

/** The places by kind. */
export const KINDS: Readonly<Record<Channel['kind'], string>> = {
  petfinder: 'Petfinder',
  adoptapet: 'Adopt-a-Pet',
  rescuegroups: 'RescueGroups',
  csv: 'Other place',
};
