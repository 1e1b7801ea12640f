import { useState } from 'preact/hooks';
import { Field } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { Explained } from '../../failures.ts';
import { t } from '../../language.ts';
import { submit } from '../../outbox.tsx';
import { known, type Order, type Pet, PetstoreError } from '../../service.ts';
import { may } from '../../session.ts';
import { AnimalFinder } from './animal-finder.tsx';
import { showColumn } from './moves.ts';

/** Starts an adoption: which animal, if another page has chosen it, and who wants it. */
export function StartAdoption({ petId }: { readonly petId: string | undefined }) {
  const [pet, setPet] = useState<Pet>();

  async function start(field: ReadField) {
    if (pet === undefined) throw refusal(t`Choose an animal first.`);
    const [adopter, contact, note] = FORM_FIELDS.map(field);
    const personal = known({ adopter, contact, note });
    // The interface takes an order without a person, but nobody can work with one.
    if (!personal.adopter && !personal.contact) throw refusal(t`Enter the adopter or a contact.`);
    try {
      await submit<Order>({
        label: t`Start the adoption of ${pet.name}`,
        call: (to) => to.orders.place({ petId: pet.id, ...personal }),
        says: t`The adoption of ${pet.name} is started.`,
        link: orderPage,
        done: () => showColumn('placed'),
      });
    } catch (error) {
      const isTaken = error instanceof PetstoreError && TAKEN.includes(error.code);
      throw isTaken
        ? refusal(t`${pet.name} is no longer available. Choose another animal.`)
        : error;
    }
  }

  return (
    <FormDialog title={t`New adoption`} action={t`Start adoption`} onSubmit={start}>
      <AnimalFinder wantedId={petId} chosen={pet} onChoose={setPet} />
      <PersonalFields />
      {!may('write') && (
        <p class="hint">{t`You can enter these details, but not read them again.`}</p>
      )}
    </FormDialog>
  );
}

export const orderPage = ({ id }: Pick<Order, 'id'>) => `/console/adoptions?order=${id}`;

const TAKEN: readonly string[] = ['conflict', 'pet_not_found'];

function refusal(message: string): PetstoreError {
  return new Explained(message, { code: 'conflict', status: 409 });
}

export const FORM_FIELDS = ['adopter', 'contact', 'note'] as const;

export function PersonalFields() {
  return (
    <>
      <Field name="adopter" maxLength={255} hint={t`Who wants to adopt the animal.`} />
      <Field name="contact" maxLength={255} hint={t`An e-mail address or a telephone number.`} />
      <Field name="note" type="textarea" maxLength={2_000} rows={3} />
    </>
  );
}
