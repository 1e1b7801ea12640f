import { INTAKE_TYPES, OUTCOME_TYPES, STAY_NOTE_MAX } from '../../../domain/stay.ts';
import { Button } from '../../components/button.tsx';
import { open } from '../../components/dialog.tsx';
import { Field, type FieldProps, type Options, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { LoadedSection } from '../../components/states.tsx';
import { formatDate, todayHere } from '../../format.ts';
import { t } from '../../language.ts';
import { type Loaded, useOfAnimal } from '../../loading.ts';
import { changedIn } from '../../merge.tsx';
import { submit } from '../../outbox.tsx';
import { type Int64, type ListedStay, type NewStay, type Pet, store } from '../../service.ts';
import { may } from '../../session.ts';
import { optionsOf, statusName } from '../../words.ts';

const INTAKES: Options = [...optionsOf(INTAKE_TYPES), ['', t`Not known`]];
const afterToday = (date: string) =>
  date > todayHere() ? t`Enter a day that is not after today.` : undefined;

/** A field for a day that has come. */
function PastDay(props: Pick<FieldProps, 'name' | 'label' | 'value' | 'required'>) {
  return <Field {...props} type="date" check={afterToday} />;
}

/** Loads the stays of an animal, for those who may know them. */
export function useStays(id: Int64): Loaded<readonly ListedStay[]> {
  const load = async (signal: AbortSignal) =>
    may('write') ? store.pets.stays(id, { signal }) : [];
  return useOfAnimal(id, load, ['stay', 'pet', 'profile']);
}

interface StaysProps {
  readonly pet: Pet;
  readonly loaded: ReturnType<typeof useStays>;
}

/** When and how an animal came and left, and what to do about it. */
export function Stays({ pet, loaded }: StaysProps) {
  return (
    <LoadedSection id="stays" title={t`Stays`} kind="card side-card" from={loaded}>
      {(stays) => (
        <>
          <ol class="animal-history" reversed>
            {stays.toReversed().map((stay) => (
              <li key={stay.id}>
                <strong>{spanOf(stay)}</strong>
                <span>{waysOf(stay)}</span>
                {stay.note && <small class="written">{stay.note}</small>}
                <Button
                  kind="quiet small"
                  label={t`Edit stay from ${formatDate(stay.intakeDate)}`}
                  onClick={() => open(<StayDialog pet={pet} stay={stay} />)}
                >{t`Edit`}</Button>
              </li>
            ))}
          </ol>
          {stays.at(-1)?.outcomeDate != null && (
            <Button onClick={() => open(<CameBackDialog pet={pet} />)}>{t`Came back…`}</Button>
          )}
        </>
      )}
    </LoadedSection>
  );
}

function spanOf({ intakeDate, outcomeDate }: ListedStay): string {
  const start = formatDate(intakeDate);
  return outcomeDate === null ? t`Since ${start}` : t`${start} to ${formatDate(outcomeDate)}`;
}

function waysOf({ intakeType, outcomeType }: ListedStay): string {
  const [came, left] = [intakeType, outcomeType].map((way) => way && statusName(way));
  return came && left ? t`${came}, then ${left}` : (came ?? left ?? '');
}

/** Returns what a form says of how and when an animal came, and left. */
function cameIn(read: ReadField) {
  const intakeType = INTAKE_TYPES.find((type) => type === read('intakeType')) ?? null;
  return { intakeDate: read('intakeDate'), intakeType };
}
const outcomeIn = (read: ReadField) => OUTCOME_TYPES.find((type) => type === read('outcomeType'));

/** Asks how and when an animal left, for all but an adoption. */
export function LeftDialog({ pet }: { readonly pet: Pet }) {
  async function save(read: ReadField) {
    const stay = (await store.pets.stays(pet.id)).at(-1);
    if (stay === undefined) return;
    const outcomeType = outcomeIn(read) ?? 'other';
    const note = read('note') || stay.note;
    const change = { outcomeType, outcomeDate: read('outcomeDate'), note };
    await submit({
      label: `${pet.name}: ${statusName(outcomeType)}`,
      call: (to) => to.pets.updateStay(pet.id, stay.id, change),
      says: t`${pet.name} has left: ${statusName(outcomeType)}.`,
    });
  }

  return (
    <FormDialog title={t`${pet.name} has left`} action={t`Save`} onSubmit={save}>
      <p class="hint">{t`The animal is no longer shown to the public, and an open adoption is cancelled. An adoption is completed under Adoptions.`}</p>
      <Select
        name="outcomeType"
        label={t`How`}
        options={optionsOf(OUTCOME_TYPES.filter((type) => type !== 'adopted'))}
        value="to_owner"
      />
      <PastDay name="outcomeDate" label={t`On`} value={todayHere()} required />
      <Field name="note" type="textarea" maxLength={STAY_NOTE_MAX} />
    </FormDialog>
  );
}

function CameBackDialog({ pet }: { readonly pet: Pet }) {
  const save = (read: ReadField) =>
    submit({
      label: t`${pet.name} came back`,
      call: (to) => to.pets.createStay(pet.id, cameIn(read)),
      says: t`${pet.name} is here again, and not published.`,
    });
  return (
    <FormDialog title={t`${pet.name} came back`} action={t`Save`} onSubmit={save}>
      <Select name="intakeType" label={t`How`} options={INTAKES} value="return" />
      <PastDay name="intakeDate" label={t`On`} value={todayHere()} required />
    </FormDialog>
  );
}

/** Changes what is known of a stay; without an outcome, the newest is open again. */
function StayDialog({ pet, stay }: { readonly pet: Pet; readonly stay: ListedStay }) {
  const title = t`Stay of ${pet.name}`;
  function save(read: ReadField, _: FormData, seen: ListedStay) {
    const outcomeType = outcomeIn(read) ?? null;
    const wanted: NewStay = {
      ...cameIn(read),
      outcomeType,
      ...(outcomeType !== null && { outcomeDate: read('outcomeDate') || undefined }),
      note: read('note') || null,
    };
    return submit({
      label: title,
      call: (to) => to.pets.updateStay(pet.id, stay.id, changedIn({ ...wanted }, seen)),
      says: t`The stay of ${pet.name} was saved.`,
    });
  }
  return (
    <FormDialog title={title} of={stay} onSubmit={save}>
      <PastDay name="intakeDate" required />
      <Select name="intakeType" options={INTAKES} />
      <Select name="outcomeType" options={[['', t`Is here`], ...optionsOf(OUTCOME_TYPES)]} />
      <PastDay name="outcomeDate" />
      <Field name="note" type="textarea" maxLength={STAY_NOTE_MAX} />
    </FormDialog>
  );
}
