import type { ChangeStamp } from '../../src/domain/change-stamp.ts';

/** The time and author of changes that tests make directly in the storage. */
export const CHANGE_STAMP: ChangeStamp = { at: Date.UTC(2027, 0, 15, 12), keyId: null };
