import * as z from 'zod';
import { Failure } from '../../domain/failure.ts';
import { thenDo } from '../../domain/maybe-promise.ts';
import { PAGE_LIMIT_MAX } from '../../domain/page.ts';
import { PET_STATUSES, type StatusChange } from '../../domain/pet.ts';
import {
  assignedIdOut,
  cursorInQuery,
  int64InPath,
  limitInQuery,
  oneOf,
  timeOut,
  timeText,
} from '../contract/fields.ts';
import { listPage } from '../contract/list-page.ts';
import { defineOperation, type Operation } from '../contract/operation.ts';

const statusChangeSchema = z
  .object({
    id: assignedIdOut('Number of the change in the history of the animal, from 1.'),
    status: oneOf(PET_STATUSES).meta({ description: 'The status that the animal came to have.' }),
    changedAt: timeOut('When that was'),
    keyId: assignedIdOut(
      'Id of the API key that asked for it; absent where the keeper did it from the command line.',
    ).optional(),
  })
  .meta({ id: 'StatusChange', description: 'A status that an animal came to have.' });

const NO_SUCH_PET = 'There is no animal with this id.';
const FIRST = { id: 1n, status: 'available', changedAt: '2026-11-21T15:04:05.000Z', keyId: 1n };

function statusChangeValue({ id, status, changedAt, keyId }: StatusChange) {
  return { id, status, changedAt: timeText(changedAt), keyId: keyId ?? undefined };
}

const listPetHistory = defineOperation({
  id: 'listPetHistory',
  method: 'GET',
  path: '/pets/{petId}/history',
  access: 'read',
  stability: 'experimental',
  tag: 'Animals',
  summary: 'List the statuses of an animal',
  description:
    'Lists the statuses that an animal had, the first one first. The Link header leads to further pages.',
  pathParameters: z.object({ petId: int64InPath('Id of the animal.') }),
  pathFailure: 'pet_not_found',
  queryParameters: z.object({ limit: limitInQuery, cursor: cursorInQuery }),
  success: {
    status: 200,
    description: 'A page of statuses.',
    schema: z
      .array(statusChangeSchema)
      .max(PAGE_LIMIT_MAX)
      .meta({ id: 'StatusChanges', description: 'Statuses of an animal, the first one first.' }),
    example: [FIRST],
    headers: ['Link', 'ETag'],
  },
  failures: { pet_not_found: NO_SUCH_PET },
  handle({ path, query }, { storage, baseUrl }) {
    const list = listPage({ baseUrl, path: `/pets/${path.petId}/history`, filters: {}, query });
    return thenDo(storage.pets.history(path.petId, list.request), (page) => {
      if (page === undefined) throw new Failure('pet_not_found', NO_SUCH_PET);
      return list.result(page, statusChangeValue);
    });
  },
});

export const petHistoryOperations: readonly Operation[] = [listPetHistory];
