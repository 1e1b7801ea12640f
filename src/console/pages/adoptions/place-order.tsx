import { useState } from 'preact/hooks';
import { Field, TextArea } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../notices.ts';
import { carryOut } from '../../outbox.ts';
import { type Pet, PetstoreError, store } from '../../service.ts';
import { may } from '../../session.ts';
import { AnimalFinder } from './animal-finder.tsx';
import { ADOPTER_MAX, CONTACT_MAX, NOTE_MAX, personalOf } from './personal.ts';

interface PlaceOrderProps {
  /** The id of the animal, if it was chosen on another page. */
  readonly petId: string | undefined;
  readonly onClose: () => void;
}

/** Starts an adoption: which animal, and who wants it. */
export function PlaceOrder({ petId, onClose }: PlaceOrderProps) {
  const [pet, setPet] = useState<Pet>();

  async function place(values: FormData) {
    if (pet === undefined) {
      throw new PetstoreError('Choose an animal first.', { code: 'invalid_body' });
    }
    const order = { petId: pet.id, ...personalOf(values) };
    try {
      await carryOut({
        label: `Place an order for ${pet.name}`,
        send: (idempotencyKey) => store.orders.place(order, { idempotencyKey }),
        done: () => notify(`Order placed for ${pet.name}.`),
      });
    } catch (error) {
      throw isTaken(error) ? taken(pet) : error;
    }
  }

  return (
    <FormDialog title="Place order" action="Place order" onSubmit={place} onClose={onClose}>
      <AnimalFinder wantedId={petId} chosen={pet} onChoose={setPet} />
      <Field
        {...{ label: 'Adopter', name: 'adopter', maxLength: ADOPTER_MAX }}
        hint="Who wants to adopt the animal."
      />
      <Field
        {...{ label: 'Contact', name: 'contact', maxLength: CONTACT_MAX }}
        hint="An e-mail address or a telephone number."
      />
      <TextArea {...{ label: 'Note', name: 'note', maxLength: NOTE_MAX, rows: 3 }} />
      {!may('write') && (
        <p class="hint">Your key can enter these details, but not read them again.</p>
      )}
    </FormDialog>
  );
}

function isTaken(error: unknown): boolean {
  return error instanceof PetstoreError && ['conflict', 'pet_not_found'].includes(error.code);
}

function taken({ name }: Pet): PetstoreError {
  const message = `${name} is no longer available. Choose another animal.`;
  return new PetstoreError(message, { code: 'conflict', status: 409 });
}
