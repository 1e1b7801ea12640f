import * as z from 'zod';
import { type Caller, mayUse } from '../../domain/api-key.ts';
import {
  EMPTY_PROFILE,
  isPublicField,
  needsBirthDate,
  PROFILE_FIELD_NAMES,
  type Profile,
  type ProfileChange,
  profileAt,
} from '../../domain/profile.ts';
import type { WritableJson } from '../../http/json.ts';
import { changes, showing, shows } from '../contract/bodies.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import { requireMatch } from '../contract/precondition.ts';
import { int64InPath } from '../contract/request-fields.ts';
import { recordOut } from '../contract/response-fields.ts';
import { NO_SUCH_PET } from './pets.ts';
import { changeShape, privateShape, publicShape } from './profile-fields.ts';

/** What anybody may know of an animal. */
export const publicProfileSchema = recordOut(
  'PublicProfile',
  'What anybody may know of an animal.',
  publicShape,
);

export const profileSchema = recordOut(
  'Profile',
  'What is known of an animal. `null` is not known, never no.',
  () => ({
    ...publicShape(),
    ...Object.fromEntries(
      Object.entries(privateShape()).map(([name, schema]) => [name, schema.optional()]),
    ),
  }),
);

const profileChangeSchema = z
  .object(changeShape)
  .meta({ id: 'ProfileChange', description: 'The members to change; `null` makes one unknown.' });

export const CHLOE: Profile = {
  ...EMPTY_PROFILE,
  species: 'dog',
  breed: 'Labrador Retriever',
  mixed: true,
  sex: 'female',
  birthDate: '2023-05-01',
  birthDatePrecision: 'month',
  size: 'medium',
  colours: ['Brown', 'White'],
  headline: 'Never met a ball that she did not like',
  goodWithDogs: 'yes',
  goodWithChildren: 'over_5',
  neutered: true,
  fee: { amount: 15_000, currency: 'USD' },
  inCareSince: '2026-06-12',
  published: true,
  care: 'shelter',
  location: 'Kennel 12',
};
const PUBLIC_NAMES = PROFILE_FIELD_NAMES.filter(isPublicField);
export const EXAMPLE_TIME = Date.UTC(2026, 10, 23);

/** Returns a profile as staff or the public see it at a time. */
export function profileValue(profile: Profile, at: number, isStaff: boolean): WritableJson {
  const seen = profileAt(profile, at);
  if (isStaff) return seen;
  const shown: Record<string, WritableJson> = {};
  for (const name of PUBLIC_NAMES) shown[name] = seen[name];
  return shown;
}

const isStaff = (caller: Caller) => mayUse(caller, 'write');

const onProfile = {
  path: '/pets/{petId}/profile',
  stability: 'experimental',
  tag: 'Profiles',
  pathParameters: z.object({ petId: int64InPath('Id of the animal.') }),
  missing: NO_SUCH_PET,
} as const;

export const profileOperations = operationsNamed({
  getProfile: defineOperation({
    ...onProfile,
    method: 'GET',
    access: 'read',
    summary: 'Get the profile of an animal',
    description:
      'Returns what is known of an animal. Every animal has a profile; `null` is not known. Keys without the scope `write` do not see its private fields.',
    success: shows('The profile.', profileSchema, profileValue(CHLOE, EXAMPLE_TIME, true)),
    handle: ({ path, caller, stamp }, { storage }) =>
      showing(NO_SUCH_PET, storage.profiles.find(path.petId), (profile) =>
        profileValue(profile, stamp.at, isStaff(caller)),
      ),
  }),
  updateProfile: defineOperation({
    ...onProfile,
    method: 'PATCH',
    access: 'write',
    summary: 'Change the profile of an animal',
    description:
      'Changes the members that you send and leaves the others as they are (JSON merge patch, RFC 7396). `null` makes a member unknown. With `published`, the animal is listed once it has a species, unless it is sold or elsewhere.',
    body: changes('The members to change.', profileChangeSchema, {
      headline: CHLOE.headline,
      goodWithCats: 'selective',
      published: true,
    }),
    success: shows('The changed profile.', profileSchema, profileValue(CHLOE, EXAMPLE_TIME, true)),
    failures: { conflict: needsBirthDate().message },
    async handle({ path, body, stamp, ifMatch }, { storage }) {
      // The schema has a member for each field, of the type that the field holds.
      const change = body as ProfileChange;
      const matches = requireMatch<Profile>(
        ifMatch,
        (profile) => profileValue(profile, stamp.at, true),
        (profile) => profileValue(profile, stamp.at, false),
      );
      const profile = await storage.profiles.update(path.petId, change, stamp, matches);
      return { value: profileValue(NO_SUCH_PET.orThrow(profile), stamp.at, true) };
    },
  }),
});
