/** What is known of an animal, in groups. Each is changed in a form of its own. */

import { useEffect } from 'preact/hooks';
import { PROFILE_FIELDS, type ProfileFieldName } from '../../../domain/profile.ts';
import { InAddress } from '../../components/dialog.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { formatAge, formatDate } from '../../format.ts';
import { t } from '../../language.ts';
import { submit } from '../../outbox.tsx';
import { query, withQuery } from '../../router.ts';
import type { Pet, Profile, ProfileChange } from '../../service.ts';
import { may } from '../../session.ts';
import { fieldName, fieldText, UNKNOWN } from '../../words.ts';
import { userError } from '../animals/change-animal.ts';
import { askAboutAge } from './birth-date.tsx';
import { ProfileInput, type ProfileInputProps, readField } from './profile-inputs.tsx';

export interface ProfileProps {
  readonly pet: Pet;
  readonly profile: Profile;
}

/** The groups that the person may see, and the form of the one that the address names. */
export function ProfileCards({ pet, profile }: ProfileProps) {
  const edited = GROUPS.find(({ key }) => key === query.value.get('edit'));
  const mayWrite = may('write');
  return (
    <>
      {GROUPS.filter(({ isPrivate }) => mayWrite || !isPrivate).map((group) => (
        <GroupCard key={group.key} group={group} profile={profile} />
      ))}
      {mayWrite && (
        <InAddress name="edit" also={['field']}>
          {() => edited && <ProfileDialog group={edited} pet={pet} profile={profile} />}
        </InAddress>
      )}
    </>
  );
}

interface GroupCardProps {
  readonly group: ProfileGroup;
  readonly profile: Profile;
}

function GroupCard({ group, profile }: GroupCardProps) {
  const { key, title, fields, isPrivate } = group;
  const heading = `profile-${key}`;
  return (
    <section class="card profile-card" aria-labelledby={heading} data-private={isPrivate}>
      <header class="row">
        <h2 id={heading}>{title}</h2>
        {isPrivate && <p class="hint">{t`Only staff see this.`}</p>}
        {may('write') && (
          <a
            class="button quiet small"
            href={withQuery({ edit: key, field: undefined })}
            aria-label={t`Edit: ${title}`}
          >{t`Edit`}</a>
        )}
      </header>
      <dl>
        {fields
          .filter((name) => isShown(profile, name))
          .map((name) => (
            <Fact key={name} name={name} profile={profile} />
          ))}
      </dl>
    </section>
  );
}

function Fact({ name, profile }: Pick<ProfileInputProps, 'name'> & Omit<GroupCardProps, 'group'>) {
  const text = textOf(profile, name);
  const isUnknown = profile[name] == null;
  return (
    <div class={isLong(name) ? 'long' : undefined}>
      <dt>{fieldName(name)}</dt>
      <dd data-unknown={isUnknown}>
        {name === 'videoUrl' && !isUnknown ? (
          <a href={text} target="_blank" rel="noreferrer">
            {text}
          </a>
        ) : (
          text
        )}
      </dd>
    </div>
  );
}

interface ProfileDialogProps extends ProfileProps {
  readonly group: ProfileGroup;
}

/** Changes a group at once: what belongs together is checked, saved and undone together. */
function ProfileDialog({ group, pet, profile }: ProfileDialogProps) {
  const field = query.value.get('field');
  useEffect(() => {
    if (!group.fields.some((name) => name === field)) return;
    const input = `.dialog [name="${field}"]:is(:checked, :not([type="radio"]))`;
    document.querySelector<HTMLElement>(input)?.focus();
  }, []);

  async function save(read: ReadField, _: FormData, seen: Profile) {
    const change = Object.assign({}, ...group.fields.map((name) => readField(name, read, seen)));
    if (change.birthDate !== seen.birthDate) await askAboutAge({ ...seen, ...change }, 'birthYear');
    await changeProfile(pet, seen, change, t`${pet.name} was saved.`);
  }

  return (
    <FormDialog title={`${group.title}: ${pet.name}`} of={profile} onSubmit={save}>
      {group.isPrivate && <p class="hint">{t`Only staff see this: it is on no public page.`}</p>}
      {group.fields
        // It is asked with the birth date.
        .filter((name) => name !== 'ageGroup')
        .map((name) => (
          <ProfileInput key={name} name={name} />
        ))}
    </FormDialog>
  );
}

/** Changes the profile of an animal. Throws a `PetstoreError` that says what to do. */
export async function changeProfile(
  pet: Pet,
  seen: Profile,
  change: ProfileChange,
  says: string,
): Promise<void> {
  try {
    await submit<Profile>({
      label: t`Edit ${pet.name}`,
      call: (to) => to.pets.updateProfile(pet.id, change),
      edits: { seen, name: pet.name, reader: 'profile' },
      says,
    });
  } catch (error) {
    throw userError(pet, error);
  }
}

/** Fields that are changed together. */
interface ProfileGroup {
  /** Its name in the address. */
  readonly key: string;
  readonly title: string;
  readonly fields: readonly ProfileFieldName[];
  /** Whether only staff see it. */
  readonly isPrivate?: boolean;
}

const GROUPS: readonly ProfileGroup[] = [
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

/** Query parameters that open the form with a field. */
export function editorOf(name: ProfileFieldName): { edit: string | undefined; field: string } {
  return { edit: GROUPS.find(({ fields }) => fields.includes(name))?.key, field: name };
}
