/** The details of a person who adopts. */
import type { NewOrder, Order } from '../../service.ts';

export const ADOPTER_MAX = 255;
export const CONTACT_MAX = 255;
export const NOTE_MAX = 2_000;

export const PERSONAL_FIELDS = ['adopter', 'contact', 'note'] as const;

/** The personal fields of an order. */
export type Personal = Pick<NewOrder, (typeof PERSONAL_FIELDS)[number]>;

/** Reads the fields of a form, without those that are empty. */
export function personalOf(values: FormData): Personal {
  const personal: Personal = {};
  for (const field of PERSONAL_FIELDS) {
    const value = String(values.get(field) ?? '').trim();
    if (value !== '') personal[field] = value;
  }
  return personal;
}

/** Returns whether an order has personal details that can be erased. */
export function hasPersonal(order: Order): boolean {
  return PERSONAL_FIELDS.some((field) => order[field] !== undefined);
}
