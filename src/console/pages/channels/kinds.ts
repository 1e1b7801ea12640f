import { t } from '../../language.ts';
import type { Channel } from '../../service.ts';

/** The places by kind. */
export const CHANNEL_KINDS: Readonly<Record<Channel['kind'], string>> = {
  petfinder: t`Petfinder`,
  adoptapet: t`Adopt-a-Pet`,
  rescuegroups: t`RescueGroups`,
  csv: t`Other place`,
};
