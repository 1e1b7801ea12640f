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
    id: assignedIdOut('Number of the change in the history of the animal, starting at 1.'),
    status: oneOf(PET_STATUSES).meta({ description: 'The new status of the animal.' }),
    changedAt: timeOut('When the status changed'),
    keyId: assignedIdOut(
      'Id of the API key that made the change. Absent if the operator made it from the command line.',
    ).optional(),
  })
  .meta({ id: 'StatusChange', description: 'A change of the status of an animal.' });

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
  summary: 'List the status history of an animal',
  description:
    'Lists every status that an animal has had, oldest first. Follow the Link header for more pages.',
  pathParameters: z.object({ petId: int64InPath('Id of the animal.') }),
  pathFailure: 'pet_not_found',
  queryParameters: z.object({ limit: limitInQuery, cursor: cursorInQuery }),
  success: {
    status: 200,
    description: 'A page of status changes.',
    schema: z
      .array(statusChangeSchema)
      .max(PAGE_LIMIT_MAX)
      .meta({ id: 'StatusChanges', description: 'Status changes of an animal, oldest first.' }),
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
