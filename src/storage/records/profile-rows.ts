import type { Pet } from '../../domain/pet.ts';
import { EMPTY_PROFILE, isPublicField, type Profile } from '../../domain/profile.ts';

/** The columns of a profile in its row, NULL where an animal has none. */
export interface ProfileRow {
  readonly public: string | null;
  readonly private: string | null;
}

/** Returns the profile in a row. */
export function profileOf(row: ProfileRow): Profile {
  const known = row.public === null ? {} : JSON.parse(row.public);
  return { ...EMPTY_PROFILE, ...known, ...(row.private !== null && JSON.parse(row.private)) };
}

/** Returns the animal and the profile in a row, and what else it has. */
export function profiledOf<More>(row: Pet & ProfileRow & More) {
  const { id, name, categoryId, status, public: known, private: secret, ...more } = row;
  const profile = profileOf({ public: known, private: secret });
  return { ...more, pet: { id, name, categoryId, status }, profile };
}

/** Returns what is known of a profile, as JSON: its public or its private fields. */
export function knownText(profile: Profile, isPublic: boolean): string {
  const { published, ...fields } = profile;
  const known = Object.entries({ ...fields, published: published || null }).filter(
    ([name, value]) => value !== null && isPublicField(name) === isPublic,
  );
  return JSON.stringify(Object.fromEntries(known));
}
