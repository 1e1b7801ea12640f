/** What a profile says, in the groups in which it is shown and changed. */

import { PROFILE_FIELDS, type ProfileFieldName } from '../../../domain/profile.ts';
import { formatAge, formatDate } from '../../format.ts';
import { t } from '../../language.ts';
import { query } from '../../router.ts';
import type { Profile } from '../../service.ts';
import { fieldText, UNKNOWN } from '../../words.ts';

/** Fields that are changed together. */
export interface ProfileGroup {
  /** Its name in the address. */
  readonly key: string;
  readonly title: string;
  readonly fields: readonly ProfileFieldName[];
  /** Whether only staff see it. */
  readonly isPrivate?: boolean;
}

export const GROUPS: readonly ProfileGroup[] = [
  {
    key: 'about',
    title: t`About`,
    fields: [
      ...(['species', 'breed', 'secondBreed', 'mixed', 'sex', 'birthDate', 'ageGroup'] as const),
      ...(['energy', 'houseTrained', 'headline', 'description'] as const),
    ],
  },
  { key: 'looks', title: t`Looks`, fields: ['size', 'weightGrams', 'coat', 'colours'] },
  {
    key: 'company',
    title: t`Gets on with`,
    fields: ['goodWithDogs', 'goodWithCats', 'goodWithChildren'],
  },
  {
    key: 'health',
    title: t`Health`,
    fields: ['neutered', 'vaccinated', 'specialNeeds', 'specialNeedsNote'],
  },
  { key: 'adoption', title: t`Adoption`, fields: ['fee', 'inCareSince', 'videoUrl'] },
  {
    key: 'private',
    title: t`Private`,
    fields: ['care', 'careUntil', 'location', 'microchip', 'medicalNotes', 'behaviourNotes'],
    isPrivate: true,
  },
];

/** Fields that say nothing by being unknown. */
const LEFT_OUT: readonly ProfileFieldName[] = ['secondBreed', 'specialNeedsNote', 'videoUrl'];

/** Returns whether a field has a line of its own for this animal. */
export function isShown(profile: Profile, name: ProfileFieldName): boolean {
  // The age beside the birth date says more than its group.
  if (name === 'ageGroup') return !profile.birthDate;
  return !LEFT_OUT.includes(name) || profile[name] != null;
}

/** Returns whether a field may hold several lines. */
export function isLong(name: ProfileFieldName): boolean {
  return PROFILE_FIELDS[name].kind === 'lines' || name === 'headline';
}

/** Returns what is known of a field, in words. */
export function textOf(profile: Profile, name: ProfileFieldName): string {
  const { birthDate, birthDatePrecision } = profile;
  if (isLong(name) && profile[name] == null) return t`None yet`;
  if (name !== 'birthDate') return fieldText(name, profile[name]);
  if (!birthDate) return UNKNOWN;
  const precision = birthDatePrecision ?? 'day';
  // On one line, and the date on another one if need be.
  const age = formatAge(birthDate, precision).replaceAll(' ', '\u00a0');
  return `${formatDate(birthDate, precision)} (${age})`;
}

/** The group that the address says is being changed. */
export function editedGroup(): ProfileGroup | undefined {
  return GROUPS.find(({ key }) => key === query.value.get('edit'));
}

/** Query parameters that open the form with a field. */
export function editorOf(name: ProfileFieldName): { edit: string | undefined; field: string } {
  return { edit: GROUPS.find(({ fields }) => fields.includes(name))?.key, field: name };
}
