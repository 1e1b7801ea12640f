import type { ChangeStamp } from '../../src/domain/change-stamp.ts';

/** When and by whom tests change what they put straight into the storage. */
export const CHANGE_STAMP: ChangeStamp = { at: Date.UTC(2027, 0, 15, 12), keyId: null };
