import * as z from 'zod';
import { Failure } from '../../domain/failure.ts';
import { thenDo } from '../../domain/maybe-promise.ts';
import { foldCase, PET_NAME_MAX } from '../../domain/name.ts';
import { petUnderOrder } from '../../domain/order.ts';
import { PAGE_LIMIT_MAX } from '../../domain/page.ts';
import { PET_STATUSES, type Pet } from '../../domain/pet.ts';
import { JSON_TYPE } from '../../http/response.ts';
import { dependsOnPage, dependsOnRecord } from '../contract/dependency.ts';
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
  oneOf,
  textInQuery,
} from '../contract/fields.ts';
import { listPage } from '../contract/list-page.ts';
import { defineOperation, MERGE_PATCH_TYPES, type Operation } from '../contract/operation.ts';
import { requireMatch, tagOf } from '../contract/precondition.ts';

const STATUS = oneOf(PET_STATUSES).meta({
  id: 'PetStatus',
  description: 'Availability of an animal.',
});

const STATUS_DEFAULT = 'available';

const NAME = "The animal's name, stored exactly as sent.";
const CATEGORY = 'Id of the category that the animal belongs to. The category need not exist.';

const newPetSchema = z
  .object({
    name: nameInBody(NAME, PET_NAME_MAX),
    categoryId: int64InBody(CATEGORY),
    // With a `default`, generators would treat it as required.
    status: STATUS.optional().meta({
      description: `Availability of the animal: \`${STATUS_DEFAULT}\` if omitted.`,
    }),
  })
  .meta({ id: 'NewPet', description: 'An animal to add.' });

export const petSchema = z
  .object({
    id: assignedIdOut('Unique identifier assigned by the service on creation.'),
    name: nameOut(NAME, PET_NAME_MAX),
    categoryId: int64Out(CATEGORY),
    status: STATUS,
  })
  .meta({ id: 'Pet', description: 'An animal. It always has a status.' });

const petChangeSchema = z
  .object({
    name: nameInBody(NAME, PET_NAME_MAX).optional(),
    categoryId: int64InBody(CATEGORY).optional(),
    status: STATUS.optional(),
  })
  .meta({ id: 'PetChange', description: 'The changes to make to an animal.' });

function petNotFound(): Failure {
  return new Failure('pet_not_found', NO_SUCH_PET);
}

function found(pet: Pet | undefined): Pet {
  if (pet === undefined) throw petNotFound();
  return pet;
}

/** Animals that Austin Animal Center found homes for, as examples in the document. */
const LUCY = { id: 8n, name: 'Lucy', categoryId: 1n, status: 'sold' };
const OLIVER = { id: 15n, name: 'Oliver', categoryId: 2n, status: 'pending' };
const CHLOE = { id: 28n, name: 'Chloe', categoryId: 1n, status: 'available' };

const NO_SUCH_PET = 'There is no animal with this id.';
const HELD = petUnderOrder(15n, 3n).message;

/** Returns the public fields of an animal. */
export function petValue({ id, name, categoryId, status }: Pet) {
  return { id, name, categoryId, status };
}

const listPets = defineOperation({
  id: 'listPets',
  method: 'GET',
  path: '/pets',
  access: 'read',
  stability: 'stable',
  cacheable: true,
  tag: 'Animals',
  summary: 'List animals',
  description:
    'Lists animals in ascending order of id. Follow the `rel="next"` link of the Link header for more pages, until there is none.',
  queryParameters: z.object({
    limit: limitInQuery,
    status: STATUS.optional().meta({ description: 'Only animals with this availability.' }),
    cursor: cursorInQuery,
    id: beta(
      int64ListInQuery(
        'Only animals with these ids, comma-separated or repeated. With a single id, the `ETag` is that of the animal itself and works in `If-Match`.',
      ),
    ),
    categoryId: beta(int64InQuery('Only animals of this category.')),
    name: beta(
      textInQuery('Only animals whose name contains this text, ignoring case.', PET_NAME_MAX),
    ),
  }),
  success: {
    status: 200,
    description: 'A page of animals.',
    schema: z
      .array(petSchema)
      .max(PAGE_LIMIT_MAX)
      .meta({ id: 'Pets', description: 'Animals in ascending order of id.' }),
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
    const list = listPage({ baseUrl, path: '/pets', filters, query });
    return thenDo(storage.pets.list(filter, list.request), (page) => {
      const dependsOn = dependsOnPage('pet', filter, list.request, page);
      const result = { ...list.result(page, petValue), dependsOn };
      const [pet] = page.items;
      if (pet === undefined || query.id?.length !== 1) return result;
      return { ...result, headers: { ...result.headers, etag: tagOf(petValue(pet)) } };
    });
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
  description: 'Adds an animal. It is on disk before the response is sent.',
  body: {
    schema: newPetSchema,
    mediaTypes: [JSON_TYPE],
    description: 'The animal to add.',
    example: { name: 'Chloe', categoryId: 1n, status: 'available' },
  },
  success: {
    status: 201,
    description: 'Animal added. The body contains its `id`.',
    schema: petSchema,
    example: CHLOE,
    headers: ['Location', 'ETag'],
  },
  failures: {},
  handle({ body, stamp }, { storage, baseUrl }) {
    const newPet = { ...body, status: body.status ?? STATUS_DEFAULT };
    return thenDo(storage.pets.create(newPet, stamp), (pet) => ({
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
  cacheable: true,
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
    return thenDo(storage.pets.find(path.petId), (pet) => ({
      status: 200,
      value: petValue(found(pet)),
      dependsOn: dependsOnRecord('pet', path.petId),
    }));
  },
});

const updatePet = defineOperation({
  id: 'updatePet',
  method: 'PATCH',
  path: '/pets/{petId}',
  access: 'write',
  stability: 'beta',
  tag: 'Animals',
  summary: 'Change an animal',
  description:
    'Changes the members that you send and leaves the others as they are (JSON merge patch, RFC 7396). The status cannot change while an open order holds the animal.',
  pathParameters: z.object({ petId: int64InPath('Id of the animal to change.') }),
  pathFailure: 'pet_not_found',
  body: {
    schema: petChangeSchema,
    mediaTypes: MERGE_PATCH_TYPES,
    description: 'The members to change.',
    example: { status: 'pending' },
  },
  success: {
    status: 200,
    description: 'The changed animal.',
    schema: petSchema,
    example: OLIVER,
    headers: ['ETag'],
  },
  failures: {
    pet_not_found: NO_SUCH_PET,
    conflict: HELD,
  },
  handle({ path, body, stamp, ifMatch }, { storage }) {
    const updated = storage.pets.update(path.petId, body, stamp, requireMatch(ifMatch, petValue));
    return thenDo(updated, (pet) => ({ status: 200, value: petValue(found(pet)) }));
  },
});

const deletePet = defineOperation({
  id: 'deletePet',
  method: 'DELETE',
  path: '/pets/{petId}',
  access: 'write',
  stability: 'beta',
  tag: 'Animals',
  summary: 'Remove an animal',
  description:
    'Removes an animal. Refused while an open order holds it. Its id is never used again.',
  pathParameters: z.object({ petId: int64InPath('Id of the animal to remove.') }),
  pathFailure: 'pet_not_found',
  success: { status: 204, description: 'Animal removed.', headers: [] },
  failures: {
    pet_not_found: NO_SUCH_PET,
    conflict: HELD,
  },
  handle({ path, stamp, ifMatch }, { storage }) {
    return thenDo(
      storage.pets.remove(path.petId, stamp, requireMatch(ifMatch, petValue)),
      (removed) => {
        if (!removed) throw petNotFound();
        return { status: 204 };
      },
    );
  },
});

export const petOperations: readonly Operation[] = [
  listPets,
  createPet,
  getPet,
  updatePet,
  deletePet,
];
