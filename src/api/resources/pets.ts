import * as z from 'zod';
import { Failure } from '../../domain/failure.ts';
import { foldName, PET_NAME_MAX } from '../../domain/name.ts';
import { petUnderOrder } from '../../domain/order.ts';
import { PET_STATUSES, type Pet, type PetFilter } from '../../domain/pet.ts';
import type { Storage } from '../../domain/storage.ts';
import {
  changes,
  creates,
  creating,
  removes,
  removing,
  showing,
  shows,
  takes,
} from '../contract/bodies.ts';
import { cursorInQuery, limitInQuery, listPage, pageOf } from '../contract/list-page.ts';
import { defineOperation, Missing, operationsNamed, type Result } from '../contract/operation.ts';
import { requireMatch, tagOf } from '../contract/precondition.ts';
import {
  beta,
  int64InBody,
  int64InPath,
  int64InQuery,
  int64ListInQuery,
  nameInBody,
  oneOf,
  textInQuery,
  trueOrFalseInQuery,
} from '../contract/request-fields.ts';
import { assignedIdOut, int64Out, nameOut, recordOut } from '../contract/response-fields.ts';

const STATUS = oneOf(PET_STATUSES).meta({
  id: 'PetStatus',
  description: 'Availability of an animal.',
});

/** Animals of a category that are counted for the total of a list. */
const TOTAL_MAX = 100_000;

/** Whether to count the animals of a list. */
const totalInQuery = trueOrFalseInQuery(
  'With `true`, `X-Total-Count` says how many animals pass the filters. It is absent with `id` or `name`, and for more than 100,000 animals of a category.',
);

const STATUS_DEFAULT = 'available';
const PET_SORTS = ['id', 'newest'] as const;

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

export const petSchema = recordOut('Pet', 'An animal. It always has a status.', () => ({
  id: assignedIdOut('Unique identifier assigned by the service on creation.'),
  name: nameOut(NAME, PET_NAME_MAX),
  categoryId: int64Out(CATEGORY),
  status: STATUS,
}));

const petChangeSchema = z
  .object({
    name: nameInBody(NAME, PET_NAME_MAX).optional(),
    categoryId: int64InBody(CATEGORY).optional(),
    status: STATUS.optional(),
  })
  .meta({ id: 'PetChange', description: 'The changes to make to an animal.' });

/** Animals that Austin Animal Center found homes for, as examples in the document. */
const LUCY = { id: 8n, name: 'Lucy', categoryId: 1n, status: 'sold' };
const OLIVER = { id: 15n, name: 'Oliver', categoryId: 2n, status: 'pending' };
const CHLOE = { id: 28n, name: 'Chloe', categoryId: 1n, status: 'available' };

export const NO_SUCH_PET = new Missing('pet_not_found', 'animal');
const HELD = petUnderOrder(15n, 3n).message;

/** Returns the public fields of an animal. */
export function petValue({ id, name, categoryId, status }: Pet) {
  return { id, name, categoryId, status };
}

type Stores = Pick<Storage, 'pets' | 'stats'>;

/** Adds the number of animals that pass a filter to a page of them. */
async function withTotal(result: Result, filter: PetFilter, storage: Stores) {
  const total = await totalOf(filter, storage);
  return {
    ...result,
    headers: { ...result.headers, ...(total !== undefined && { 'x-total-count': `${total}` }) },
  };
}

/** Counts the animals that pass a filter; undefined if that would take long. */
async function totalOf(
  { status, categoryId, ids, nameFolded }: PetFilter,
  { pets, stats }: Stores,
): Promise<number | undefined> {
  if (ids !== undefined || nameFolded !== undefined) return undefined;
  if (categoryId !== undefined) {
    const count = await pets.countInCategory(categoryId, status, TOTAL_MAX + 1);
    return count > TOTAL_MAX ? undefined : count;
  }
  const counts = await stats.pets();
  const wanted = status === undefined ? PET_STATUSES : [status];
  return wanted.map((one) => counts[one]).reduce((sum, count) => sum + count, 0);
}

export const petOperations = operationsNamed({
  listPets: defineOperation({
    method: 'GET',
    path: '/pets',
    access: 'read',
    stability: 'stable',
    cacheable: true,
    tag: 'Animals',
    summary: 'List animals',
    description:
      'Lists animals, by default in ascending order of id. Follow the `rel="next"` link of the Link header for more pages, until there is none.',
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
        textInQuery(
          'Only animals with this in their name, ignoring case and accents.',
          PET_NAME_MAX,
          'lu',
        ),
      ),
      sort: beta(
        oneOf(PET_SORTS).optional().meta({
          description:
            'By ascending `id`, the default, or `newest` first, which is refused together with `name`.',
        }),
      ),
      total: beta(totalInQuery),
    }),
    success: {
      status: 200,
      description: 'A page of animals.',
      schema: pageOf(petSchema, 'Pets', 'Animals in the order that was asked for.'),
      // The samples ask for available animals.
      example: [LUCY, OLIVER, CHLOE].map((pet) => ({ ...pet, status: 'available' })),
      headers: ['Link', 'ETag', 'X-Total-Count'],
    },
    async handle({ query }, { storage, baseUrl }) {
      const { sort, total } = query;
      const isDescending = sort === 'newest';
      if (isDescending && query.name !== undefined) {
        throw new Failure('invalid_parameter', 'sort must be id in a list with name.');
      }
      const filters = {
        status: query.status,
        categoryId: query.categoryId?.toString(),
        id: query.id?.join(','),
        name: query.name,
        sort,
        total,
      };
      const filter = {
        status: query.status,
        categoryId: query.categoryId,
        ids: query.id,
        nameFolded: query.name === undefined ? undefined : foldName(query.name),
      };
      const order = { defaultSort: 'id', isDescending };
      const list = listPage({ baseUrl, path: '/pets', filters, query, ...order });
      const page = await storage.pets.list(filter, list.request);
      const result = list.result(page, petValue);
      if (total === 'true') return await withTotal(result, filter, storage);
      const [pet] = page.items;
      if (pet === undefined || query.id?.length !== 1) return result;
      return { ...result, headers: { ...result.headers, etag: tagOf(petValue(pet)) } };
    },
  }),
  createPet: defineOperation({
    method: 'POST',
    path: '/pets',
    access: 'write',
    stability: 'stable',
    tag: 'Animals',
    summary: 'Add an animal',
    description: 'Adds an animal. It is on disk before the response is sent.',
    body: takes('The animal to add.', newPetSchema, {
      name: 'Chloe',
      categoryId: 1n,
      status: 'available',
    }),
    success: creates('Animal added. The body contains its `id`.', petSchema, CHLOE),
    async handle({ body, stamp }, { storage, baseUrl }) {
      const newPet = { ...body, status: body.status ?? STATUS_DEFAULT };
      const pet = await storage.pets.create(newPet, stamp);
      return creating(`${baseUrl}/pets`, petValue(pet));
    },
  }),
  getPet: defineOperation({
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
    missing: NO_SUCH_PET,
    success: shows('The requested animal.', petSchema, CHLOE),
    async handle({ path }, { storage }) {
      const pet = await storage.pets.find(path.petId);
      return { value: petValue(NO_SUCH_PET.orThrow(pet)) };
    },
  }),
  updatePet: defineOperation({
    method: 'PATCH',
    path: '/pets/{petId}',
    access: 'write',
    stability: 'beta',
    tag: 'Animals',
    summary: 'Change an animal',
    description:
      'Changes the members that you send and leaves the others as they are (JSON merge patch, RFC 7396). The status cannot change while an open order holds the animal.',
    pathParameters: z.object({ petId: int64InPath('Id of the animal to change.') }),
    missing: NO_SUCH_PET,
    body: changes('The members to change.', petChangeSchema, { status: 'pending' }),
    success: shows('The changed animal.', petSchema, OLIVER),
    failures: { conflict: HELD },
    handle({ path, body, stamp, ifMatch }, { storage }) {
      const updated = storage.pets.update(path.petId, body, stamp, requireMatch(ifMatch, petValue));
      return showing(NO_SUCH_PET, updated, petValue);
    },
  }),
  deletePet: defineOperation({
    method: 'DELETE',
    path: '/pets/{petId}',
    access: 'write',
    stability: 'beta',
    tag: 'Animals',
    summary: 'Remove an animal',
    description:
      'Removes an animal. Refused while an open order holds it. Its id is never used again.',
    pathParameters: z.object({ petId: int64InPath('Id of the animal to remove.') }),
    missing: NO_SUCH_PET,
    success: removes('Animal removed.'),
    failures: { conflict: HELD },
    handle({ path, stamp, ifMatch }, { storage }) {
      return removing(
        NO_SUCH_PET,
        storage.pets.remove(path.petId, stamp, requireMatch(ifMatch, petValue)),
      );
    },
  }),
});
