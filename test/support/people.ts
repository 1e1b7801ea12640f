import type { Role } from '../../src/domain/person.ts';
import type { TestPetstore } from './start.ts';
import { createVisitor, type Visitor } from './visitor.ts';

export const PASSWORD = 'seven quiet llamas';

/** A person with what tests need to be that person. */
export interface TestPerson {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  /** The secret of the invitation. */
  readonly invitation: string;
}

let count = 0;

/** Adds a person, who has an invitation. */
export async function invitePerson(
  { admin }: Pick<TestPetstore, 'admin'>,
  parts: { readonly name?: string; readonly email?: string; readonly role?: Role } = {},
): Promise<TestPerson> {
  const body = {
    name: 'Maria',
    email: `maria.${++count}@example.org`,
    role: 'volunteer',
    ...parts,
  };
  const added = await admin.post('/v1/people', body);
  if (added.status !== 201) throw new Error(added.text);
  const { id, name, email, invitation } = JSON.parse(added.text);
  return { id, name, email, invitation: secretOf(invitation) };
}

/** Adds a person who has chosen the password above. */
export async function addPerson(
  petstore: TestPetstore,
  parts?: Parameters<typeof invitePerson>[1],
): Promise<TestPerson> {
  const person = await invitePerson(petstore, parts);
  const { invitation } = person;
  const visitor = createVisitor(() => petstore.url);
  const { status, text } = await visitor.post('/console/invitation', {
    invitation,
    password: PASSWORD,
  });
  if (status !== 204) throw new Error(text);
  return person;
}

/** Signs a person in. */
export async function signedIn(
  petstore: Pick<TestPetstore, 'url'>,
  { email }: Pick<TestPerson, 'email'>,
  password = PASSWORD,
): Promise<Visitor> {
  const visitor = createVisitor(() => petstore.url);
  const { status, text } = await visitor.post('/console/session', { email, password });
  if (status !== 204) throw new Error(text);
  return visitor;
}

/** The secret in the address of an invitation. */
export function secretOf(address: string): string {
  return new URL(address).hash.slice(1);
}
