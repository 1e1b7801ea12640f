import * as z from 'zod';
import { mayUse } from '../../domain/api-key.ts';
import { AUDIT_TYPES, type AuditLine } from '../../domain/audit.ts';
import { CHANGE_TYPES } from '../../domain/change-log.ts';
import { PAGE_LIMIT_DEFAULT } from '../../domain/page.ts';
import { isPrivateField } from '../../domain/profile.ts';
import type { WritableJson } from '../../http/json.ts';
import { lists, showing, shows } from '../contract/bodies.ts';
import {
  limitInQuery,
  listPage,
  pageLinks,
  pageOf,
  pageQuery,
  queryPairs,
} from '../contract/list-page.ts';
import { defineOperation, Missing, operationsNamed } from '../contract/operation.ts';
import { int64InPath, int64InQuery, oneOf, timeInQuery } from '../contract/request-fields.ts';
import {
  assignedIdOut,
  int64Out,
  nameOut,
  recordOut,
  timeOut,
  timeText,
  timeTextIfGiven,
} from '../contract/response-fields.ts';
import { NO_SUCH_PET, petSchema, petValue } from './pets.ts';

const TYPE = oneOf([...CHANGE_TYPES, ...AUDIT_TYPES]).meta({
  id: 'AuditType',
  description: 'What happened: an event, or a change that only the audit shows.',
});

const lineSchema = recordOut(
  'AuditLine',
  'One change: what, when, by whom, from what to what.',
  () => ({
    id: assignedIdOut(
      'Position of the change. Grows from one change to the next, not always by 1.',
    ),
    timestamp: timeOut('When the change was made'),
    type: TYPE,
    actor: z
      .object({
        keyId: assignedIdOut('Id of the API key that made the change, or of the person.'),
        name: nameOut('Its name now; null if the key was removed.', 255).nullable(),
      })
      .nullable()
      .optional()
      .meta({
        id: 'AuditActor',
        description:
          'Who made the change; null for a command, and for the service itself. Absent for callers without `write`.',
      }),
    subject: z
      .object({
        type: z.string().meta({
          description: 'The kind of record: `pet`, `photo`, `order`, `key` and so on.',
          maxLength: 20,
          pattern: '^[a-z]+$',
        }),
        id: int64Out('Its id. Absent where there is only one, such as the shop.').optional(),
        petId: assignedIdOut('The animal that it concerns, if it is not the animal.').optional(),
        name: nameOut('What it, or else that animal, is called, if that is known.', 255).optional(),
      })
      .meta({ id: 'AuditSubject', description: 'What was changed.' }),
    changes: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({
        // OpenAPI 3.0 does not know the word, and it says nothing here.
        override: ({ jsonSchema }) => {
          delete jsonSchema.propertyNames;
        },
        description:
          'The fields that changed, each with its value before and after: `["Rex", "Max"]`, `null` where there was none. Instead of a personal detail of an adoption there is `true`. Absent for changes from before the audit began.',
      }),
  }),
);

const RENAMED = {
  id: 1_206n,
  timestamp: '2026-11-21T15:04:05.000Z',
  type: 'pet.updated',
  actor: { keyId: 3n, name: 'Maria' },
  subject: { type: 'pet', id: 28n, name: 'Max' },
  changes: { name: ['Rex', 'Max'] },
};

function lineValue({ id, at, type, actor, subject, changes }: AuditLine) {
  return {
    ...{ id, timestamp: timeText(at), type },
    actor: actor && { ...actor },
    subject: { ...subject },
    // Values in the audit are JSON.
    changes: changes as { readonly [field: string]: WritableJson } | undefined,
  };
}

const SORTS = ['oldest', 'newest'] as const;

/** Returns a line as callers without `write` see it; undefined if they may know nothing of it. */
function publicLine(line: ReturnType<typeof lineValue>) {
  const { actor: _, changes, ...shown } = line;
  if (shown.type.startsWith('enquiry.')) return undefined;
  if (changes === undefined) return shown;
  const known = Object.entries(changes).filter(
    ([field, value]) => value !== true && !isPrivateField(field),
  );
  return known.length === 0 ? undefined : { ...shown, changes: Object.fromEntries(known) };
}

const NO_REMOVED_PET = new Missing('pet_not_found', 'animal that was removed in the last 30 days');

export const petHistoryOperations = operationsNamed({
  listPetHistory: defineOperation({
    method: 'GET',
    path: '/pets/{petId}/history',
    access: 'read',
    stability: 'experimental',
    tag: 'Animals',
    summary: 'List what happened to an animal',
    description:
      'Lists every change of an animal, its profile, photos and adoptions, oldest first, also after its removal. Only callers with `write` see who made it, and private fields. Follow the Link header for more pages.',
    pathParameters: z.object({ petId: int64InPath('Id of the animal.') }),
    missing: NO_SUCH_PET,
    queryParameters: pageQuery,
    success: lists(
      'A page of changes.',
      pageOf(lineSchema, 'PetHistory', 'What happened to an animal, oldest first.'),
      [RENAMED],
    ),
    async handle({ path, query, caller }, { storage, baseUrl }) {
      const list = listPage({ baseUrl, path: `/pets/${path.petId}/history`, query });
      const isStaff = mayUse(caller, 'write');
      const found = NO_SUCH_PET.orThrow(await storage.audit.history(path.petId, list.request));
      const result = list.result(found, lineValue);
      const shown = () => found.items.flatMap((line) => publicLine(lineValue(line)) ?? []);
      return isStaff ? result : { ...result, value: shown() };
    },
  }),
  restorePet: defineOperation({
    method: 'POST',
    path: '/pets/{petId}/restore',
    access: 'write',
    stability: 'beta',
    tag: 'Animals',
    summary: 'Bring back a removed animal',
    description:
      'Brings back an animal that was removed within the last 30 days, with its id, status, profile and photos.',
    pathParameters: z.object({ petId: int64InPath('Id of the removed animal.') }),
    missing: NO_REMOVED_PET,
    success: shows('The animal is there again.', petSchema, {
      ...{ id: 28n, name: 'Chloe', categoryId: 1n, status: 'available' },
    }),
    failures: { conflict: 'The animal 28 is there: it was not removed.' },
    handle({ path, stamp }, { storage }) {
      return showing(NO_REMOVED_PET, storage.removedPets.restore(path.petId, stamp), petValue);
    },
  }),
});

export const auditOperations = operationsNamed({
  listAudit: defineOperation({
    method: 'GET',
    path: '/audit',
    access: 'admin',
    stability: 'beta',
    tag: 'Audit',
    summary: 'List who changed what',
    description:
      'Lists every change of animals, profiles, photos, categories, adoptions, keys, people, webhooks, the shop and imports, from the oldest on. An import is one line with its counts; `import` lists what it changed. Follow the Link header for more pages.',
    queryParameters: z.object({
      actor: int64InQuery('Only changes by this API key or person.'),
      type: TYPE.optional().meta({ description: 'Only changes of this type.' }),
      pet: int64InQuery('Only changes of this animal, its profile, photos and adoptions.'),
      import: int64InQuery('Only changes made by this import.'),
      from: timeInQuery('Only changes at or after this time', '2026-11-21T00:00:00Z'),
      to: timeInQuery('Only changes before this time', '2026-11-22T00:00:00Z'),
      after: int64InQuery(
        'Only changes that come after the one with this id, in the order of the list.',
      ),
      sort: oneOf(SORTS)
        .optional()
        .meta({ description: '`newest` lists the latest change first.' }),
      limit: limitInQuery,
    }),
    success: lists('A page of changes.', pageOf(lineSchema, 'AuditLines', 'Changes in order.'), [
      RENAMED,
    ]),
    async handle({ query }, { storage, baseUrl }) {
      const { actor, type, pet: petId, import: importId, from, to, after, sort, limit } = query;
      const isDescending = sort === 'newest';
      const request = { afterId: after, limit: limit ?? PAGE_LIMIT_DEFAULT, isDescending };
      const page = await storage.audit.list({ actor, type, petId, importId, from, to }, request);

      const times = { from: timeTextIfGiven(from), to: timeTextIfGiven(to) };
      const ids = { actor, type, pet: petId, import: importId };
      const filters = { ...ids, ...times, sort, limit };
      const next = page.more ? `after=${page.items.at(-1)?.id}` : undefined;
      const link = pageLinks(`${baseUrl}/audit`, queryPairs(filters), next);
      return { value: page.items.map(lineValue), headers: { link } };
    },
  }),
});
