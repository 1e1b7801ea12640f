import * as z from 'zod';
import { thenDo } from '../../domain/maybe-promise.ts';
import { PET_STATUSES, type StatusChange } from '../../domain/pet.ts';
import { lists } from '../contract/bodies.ts';
import { cursorInQuery, limitInQuery, listPage, pageOf } from '../contract/list-page.ts';
import { defineOperation, type Operation } from '../contract/operation.ts';
import { int64InPath, oneOf } from '../contract/request-fields.ts';
import { assignedIdOut, recordOut, timeOut, timeText } from '../contract/response-fields.ts';
import { NO_SUCH_PET } from './pets.ts';

const statusChangeSchema = recordOut(
  'StatusChange',
  'A change of the status of an animal.',
  () => ({
    id: assignedIdOut('Number of the change in the history of the animal, starting at 1.'),
    status: oneOf(PET_STATUSES).meta({ description: 'The new status of the animal.' }),
    changedAt: timeOut('When the status changed'),
    keyId: assignedIdOut(
      'Id of the API key that made the change. Absent if the operator made it from the command line.',
    ).optional(),
  }),
);

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
  missing: NO_SUCH_PET,
  queryParameters: z.object({ limit: limitInQuery, cursor: cursorInQuery }),
  success: lists(
    'A page of status changes.',
    pageOf(statusChangeSchema, 'StatusChanges', 'Status changes of an animal, oldest first.'),
    [FIRST],
  ),
  handle({ path, query }, { storage, baseUrl }) {
    const list = listPage({ baseUrl, path: `/pets/${path.petId}/history`, filters: {}, query });
    return thenDo(storage.pets.history(path.petId, list.request), (page) =>
      list.result(NO_SUCH_PET.found(page), statusChangeValue),
    );
  },
});

export const petHistoryOperations: readonly Operation[] = [listPetHistory];
