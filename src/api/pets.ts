import * as z from 'zod';
import { Failure } from '../domain/failure.ts';
import { after } from '../domain/later.ts';
import { foldCase, PET_NAME_MAX } from '../domain/name.ts';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '../domain/page.ts';
import { PET_STATUSES, type Pet } from '../domain/pet.ts';
import { JSON_TYPE } from '../http/answer.ts';
import { decodeCursor } from './cursor.ts';
import {
  assignedIdOut,
  beta,
  cursorInQuery,
  int64InBody,
  int64InPath,
  int64InQuery,
  int64ListInQuery,
  int64Out,
  limitInQuery,
  nameInBody,
  nameOut,
  namePartInQuery,
  oneOf,
} from './fields.ts';
import { listName, pageLinks } from './links.ts';
import { defineOperation, type Operation } from './operation.ts';

const STATUS = oneOf(PET_STATUSES).meta({
  id: 'PetStatus',
  description: 'Availability of an animal.',
});

const NAME = "The animal's name, kept exactly as sent.";
const CATEGORY = 'Id of the category the animal belongs to; it need not exist.';

const newPetSchema = z
  .object({
    name: nameInBody(NAME, PET_NAME_MAX),
    categoryId: int64InBody(CATEGORY),
    status: STATUS.default('available'),
  })
  .meta({ id: 'NewPet', description: 'An animal to add.' });

const petSchema = z
  .object({
    id: assignedIdOut('Unique identifier assigned by the service on creation.'),
    name: nameOut(NAME, PET_NAME_MAX),
    categoryId: int64Out(CATEGORY),
    status: STATUS,
  })
  .meta({ id: 'Pet', description: 'An animal. It always has a status.' });

/** Animals that Austin Animal Center found homes for; the document shows them as examples. */
const LUCY = { id: 8n, name: 'Lucy', categoryId: 1n, status: 'sold' };
const OLIVER = { id: 15n, name: 'Oliver', categoryId: 2n, status: 'pending' };
const CHLOE = { id: 28n, name: 'Chloe', categoryId: 1n, status: 'available' };

const NO_SUCH_PET = 'There is no animal with this id.';

/** What the interface shows of an animal, whatever else the storage knows. */
function petValue({ id, name, categoryId, status }: Pet) {
  return { id, name, categoryId, status };
}

const listPets = defineOperation({
  id: 'listPets',
  method: 'GET',
  path: '/pets',
  access: 'read',
  stability: 'stable',
  tag: 'Animals',
  summary: 'List animals',
  description:
    'Lists animals, ascending by id. The Link header leads to further pages; follow it until no link has `rel="next"`.',
  queryParameters: z.object({
    limit: limitInQuery,
    status: STATUS.optional().meta({ description: 'Only animals with this availability.' }),
    cursor: cursorInQuery,
    id: beta(int64ListInQuery('Only the animals with these ids.')),
    categoryId: beta(int64InQuery('Only the animals of this category.')),
    name: beta(
      namePartInQuery('Only animals whose name has this part, whatever its case.', PET_NAME_MAX),
    ),
  }),
  success: {
    status: 200,
    description: 'A paginated list of animals.',
    schema: z
      .array(petSchema)
      .max(PAGE_LIMIT_MAX)
      .meta({ id: 'Pets', description: 'Animals, ascending by id.' }),
    example: [LUCY, OLIVER, CHLOE],
    headers: ['Link', 'ETag'],
  },
  failures: {},
  handle({ query }, { storage, baseUrl }) {
    const filters = {
      status: query.status,
      categoryId: query.categoryId?.toString(),
      id: query.id?.join(','),
      name: query.name,
    };
    const filter = {
      status: query.status,
      categoryId: query.categoryId,
      ids: query.id,
      nameFolded: query.name === undefined ? undefined : foldCase(query.name),
    };
    const afterId =
      query.cursor === undefined
        ? undefined
        : decodeCursor(query.cursor, listName('/pets', filters));
    const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
    return after(storage.pets.list(filter, { afterId, limit }), (page) => ({
      status: 200,
      value: page.items.map(petValue),
      headers: { link: pageLinks({ baseUrl, path: '/pets', filters, limit: query.limit }, page) },
    }));
  },
});

const createPet = defineOperation({
  id: 'createPet',
  method: 'POST',
  path: '/pets',
  access: 'write',
  stability: 'stable',
  tag: 'Animals',
  summary: 'Add an animal',
  description: 'Adds an animal. It is on disk before the answer leaves.',
  body: {
    schema: newPetSchema,
    mediaTypes: [JSON_TYPE],
    description: 'The animal to add.',
    example: { name: 'Chloe', categoryId: 1n, status: 'available' },
  },
  success: {
    status: 201,
    description: 'Animal added; the body carries the assigned `id`.',
    schema: petSchema,
    example: CHLOE,
    headers: ['Location'],
  },
  failures: {},
  handle({ body }, { storage, baseUrl }) {
    return after(storage.pets.create(body), (pet) => ({
      status: 201,
      value: petValue(pet),
      headers: { location: `${baseUrl}/pets/${pet.id}` },
    }));
  },
});

const getPet = defineOperation({
  id: 'getPet',
  method: 'GET',
  path: '/pets/{petId}',
  access: 'read',
  stability: 'stable',
  tag: 'Animals',
  summary: 'Get an animal',
  description:
    'Returns a single animal by id. Deprecated: use `GET /pets` with `status` or `id` instead.',
  deprecation: {
    since: Date.UTC(2026, 10, 21),
    sunset: Date.UTC(2030, 11, 5),
    successor: '/pets',
    page: '/docs/deprecations',
  },
  pathParameters: z.object({ petId: int64InPath('Id of the animal to retrieve.') }),
  pathFailure: 'pet_not_found',
  success: {
    status: 200,
    description: 'The requested animal.',
    schema: petSchema,
    example: CHLOE,
    headers: ['ETag'],
  },
  failures: { pet_not_found: NO_SUCH_PET },
  handle({ path }, { storage }) {
    return after(storage.pets.find(path.petId), (pet) => {
      if (pet === undefined) throw new Failure('pet_not_found', NO_SUCH_PET);
      return { status: 200, value: petValue(pet) };
    });
  },
});

export const petOperations: readonly Operation[] = [listPets, createPet, getPet];
