import type { ChangeStamp } from '../../src/domain/change-stamp.ts';
import { EMPTY_PROFILE } from '../../src/domain/profile.ts';

/** The time and author of changes that tests make directly in the storage. */
export const CHANGE_STAMP: ChangeStamp = { at: Date.UTC(2027, 0, 15, 12), keyId: null };

/** The profile of an animal that was added then. */
export const NEW_PROFILE = { ...EMPTY_PROFILE, inCareSince: '2027-01-15' };
