import type { NewEnquiry } from '../../src/domain/enquiry.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { CHANGE_STAMP } from './change-stamp.ts';

/** Adds an animal that the public sees, and returns its id. */
export async function addListed({ pets, profiles }: Storage, name = 'Chloe'): Promise<bigint> {
  const pet = { name, categoryId: 1n, status: 'available' } as const;
  const { id } = await pets.create(pet, CHANGE_STAMP);
  await profiles.update(id, { species: 'dog', published: true }, CHANGE_STAMP, () => {});
  return id;
}

let senders = 0;

/** An enquiry from an address of its own. */
export function letter(petId: bigint, parts: Partial<NewEnquiry> = {}): NewEnquiry {
  return {
    petId,
    name: 'Robin Álvarez',
    email: 'robin@example.com',
    telephone: undefined,
    message: 'May we visit her?\nOn Saturday?',
    answers: [],
    language: 'en',
    suspected: false,
    sender: `sender ${++senders}`,
    pair: `pair ${senders}`,
    digest: `digest ${senders}`,
    copy: undefined,
    ...parts,
  };
}

/** Adds an enquiry, by default about an animal of its own, and returns its id. */
export async function addEnquiry(
  storage: Storage,
  parts: Partial<NewEnquiry> = {},
  at = CHANGE_STAMP.at,
): Promise<bigint> {
  const petId = parts.petId ?? (await addListed(storage));
  const receipt = await storage.enquiries.receive(letter(petId, parts), at);
  if (receipt !== 'received') throw new Error(`the enquiry was refused: ${receipt}`);
  const { items } = await storage.enquiries.list({}, { afterId: undefined, limit: 1 });
  return items[0]?.id ?? 0n;
}
