import type { Answer, EnquiryStatus } from '../../domain/enquiry.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import { optional } from './order-search.ts';

/** Answers as they are stored: JSON, or NULL without any. */
function answersIn(cell: string | null): readonly Answer[] {
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
  ownerId: (cell: bigint | null) => cell ?? undefined,
  ownerName: optional,
  note: optional,
  suspected: (cell: bigint) => cell > 0n,
  language: plain<string>(),
  receivedAt: number,
  updatedAt: number,
};
const STORED = { ownerName: '(SELECT api_keys.name FROM api_keys WHERE api_keys.id = owner_id)' };
export const ENQUIRY = { ...fieldsOf(READERS, STORED), readers: READERS, stored: STORED };
