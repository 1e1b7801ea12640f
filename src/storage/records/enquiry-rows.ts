import type { Answer, Enquiry, EnquiryStatus } from '../../domain/enquiry.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import { query, type Sql } from '../statements.ts';
import { optional } from './order-search.ts';

/** Answers as they are stored: JSON, or NULL without any. */
export function answersIn(cell: string | null): readonly Answer[] {
  return cell === null ? [] : JSON.parse(cell);
}

/** An enquiry in its row. */
const READERS = {
  id: plain<bigint>(),
  petId: plain<bigint>(),
  orderId: (cell: bigint | null) => cell ?? undefined,
  status: plain<EnquiryStatus>(),
  name: plain<string>(),
  email: optional,
  telephone: optional,
  message: plain<string>(),
  answers: answersIn,
  suspected: (cell: bigint) => cell > 0n,
  language: plain<string>(),
  receivedAt: number,
  updatedAt: number,
};
export const ENQUIRY = { ...fieldsOf(READERS), readers: READERS };
export const enquiries = (text: Sql) => query<object, Enquiry>(ENQUIRY.of, text);
