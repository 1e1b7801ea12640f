/** The details of a person who adopts. */
import { Field } from '../../components/field.tsx';
import type { ReadField } from '../../components/form.tsx';
import type { NewOrder, Order } from '../../service.ts';

export const PERSONAL_FIELDS = ['adopter', 'contact', 'note'] as const;

/** The personal fields of an order. */
type Personal = Pick<NewOrder, (typeof PERSONAL_FIELDS)[number]>;

interface PersonalFieldsProps {
  /** The current values. */
  readonly of?: Personal;
}

/** The fields of a form. */
export function PersonalFields({ of = {} }: PersonalFieldsProps) {
  return (
    <>
      <Field
        label="Adopter"
        name="adopter"
        value={of.adopter ?? ''}
        maxLength={255}
        hint="Who wants to adopt the animal."
      />
      <Field
        label="Contact"
        name="contact"
        value={of.contact ?? ''}
        maxLength={255}
        hint="An e-mail address or a telephone number."
      />
      <Field
        type="textarea"
        label="Note"
        name="note"
        value={of.note ?? ''}
        maxLength={2_000}
        rows={3}
      />
    </>
  );
}

/** Reads the fields of a form, without those that are empty. */
export function personalOf(read: ReadField): Personal {
  const filled = PERSONAL_FIELDS.filter((field) => read(field) !== '');
  return Object.fromEntries(filled.map((field) => [field, read(field)]));
}

/** Returns whether an order has personal details that can be erased. */
export function hasPersonal(order: Order): boolean {
  return PERSONAL_FIELDS.some((field) => order[field] !== undefined);
}
