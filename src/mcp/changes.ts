import * as z from 'zod';
import { preconditionFailed } from '../api/contract/precondition.ts';
import { int64InBody, nameInBody, oneOf, orRequired } from '../api/contract/request-fields.ts';
import { publicOrder } from '../api/resources/orders.ts';
import { Failure } from '../domain/failure.ts';
import { PET_NAME_MAX } from '../domain/name.ts';
import { PET_STATUSES } from '../domain/pet.ts';
import { isPublicField, SPECIES } from '../domain/profile.ts';
import { JsonNumber, JsonProblem, type PlainJson, plainJson } from '../http/json.ts';
import { ANIMAL, details, findAnimal, versionOf } from './animals.ts';
import { defineTool, Refusal, type Tool, type ToolShop, WRITES } from './tool.ts';

const VERSION = /^([0-9a-f]{16})-([0-9a-f]{16})$/;
/** Members of a profile are values, lists of texts, or one object of two values. */
const PROFILE_DEPTH = 2;

const profileInBody = z
  .custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === 'object' && value !== null && !(value instanceof JsonNumber),
    { error: 'must be an object' },
  )
  .transform((value, context) => {
    try {
      return plainJson(value as never, PROFILE_DEPTH) as Record<string, PlainJson>;
    } catch (error) {
      if (!(error instanceof JsonProblem)) throw error;
      context.addIssue(error.message);
      return z.NEVER;
    }
  })
  .meta({
    description: 'Members as get_animal shows them, such as headline; null: not known.',
    override: { type: 'object' },
  });

/** Makes the second of two changes. If it fails, says that the first was made. */
async function andThen(done: string, change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Refusal(`${done}, but the rest was refused: ${error.message}`);
  }
}

/** Returns the entity tags in a version of an animal, if it is still the current one. */
async function tagsOf(id: bigint, version: string, shop: ToolShop): Promise<string> {
  const [, pet, profile] = VERSION.exec(version) ?? [];
  if (pet === undefined) throw new Refusal('version must be the one that get_animal shows.');
  // Both parts before either changes. The changes themselves check it again.
  if (versionOf(await findAnimal(id, shop), shop.at) !== version) throw preconditionFailed();
  return `"${pet}", "${profile}"`;
}

const animalFields = {
  name: nameInBody('Its name.', PET_NAME_MAX),
  categoryId: int64InBody('Id of its category; shop_stats has them.'),
};

export const changeTools: readonly Tool[] = [
  defineTool('add_animal', {
    access: 'write',
    description: 'Adds an animal. The public sees it once update_animal has published it.',
    input: { ...animalFields, species: oneOf(SPECIES).optional() },
    output: ANIMAL,
    annotations: WRITES,
    async call({ species, ...pet }, shop) {
      const id = await shop.run({ operation: 'createPet', body: pet });
      if (species !== undefined) {
        const write = { operation: 'updateProfile', id, body: { species } };
        await andThen(`Animal ${id} was added`, () => shop.run(write));
      }
      return details(await findAnimal(id, shop), shop);
    },
  }),
  defineTool('update_animal', {
    access: 'write',
    description:
      'Changes an animal as get_animal showed it: only what is given. Refused if somebody changed it meanwhile.',
    input: {
      id: int64InBody('Id of the animal.'),
      version: z
        .string({ error: orRequired('must be a string') })
        .meta({ description: 'The version that get_animal showed.' }),
      name: animalFields.name.optional(),
      categoryId: animalFields.categoryId.optional(),
      status: oneOf(PET_STATUSES).optional(),
      published: z
        .boolean({ error: 'must be true or false' })
        .meta({
          description: 'Whether the public sees it.',
          override: { type: 'boolean' },
        })
        .optional(),
      profile: profileInBody.optional(),
    },
    output: ANIMAL,
    annotations: { ...WRITES, destructiveHint: true },
    async call({ id, version, published, profile, ...pet }, shop) {
      const ifMatch = await tagsOf(id, version, shop);
      const members = { ...profile, ...(published !== undefined && { published }) };
      const unknown = Object.keys(members).filter((name) => !isPublicField(name));
      if (unknown.length > 0) throw new Refusal(`profile takes no ${unknown.join(', ')}.`);
      const isOfPet = Object.values(pet).some((value) => value !== undefined);
      const isOfProfile = Object.keys(members).length > 0;
      const ofPet = { operation: 'updatePet', id, body: pet, ifMatch };
      if (isOfProfile) {
        await shop.run({ operation: 'updateProfile', id, body: members, ifMatch });
        if (isOfPet) await andThen('The profile was changed', () => shop.run(ofPet));
      } else if (isOfPet) await shop.run(ofPet);
      return details(await findAnimal(id, shop), shop);
    },
  }),
  defineTool('move_adoption', {
    access: 'write',
    description:
      'Moves an order: from placed to approved, then completed, which makes the animal sold; or cancelled.',
    input: {
      id: int64InBody('Id of the order.'),
      status: oneOf(['approved', 'completed', 'cancelled']),
    },
    output: { id: 'integer', status: 'string' },
    annotations: { ...WRITES, destructiveHint: true, idempotentHint: true },
    async call({ id, status }, shop) {
      await shop.run({ operation: 'updateOrder', id, body: { status } });
      const order = await shop.storage.orders.find(id);
      return order === undefined ? { id, status } : publicOrder(order);
    },
  }),
];
