import { KEY_NAME_MAX } from '../../domain/api-key.ts';
import type { StaffMember } from '../../domain/person.ts';
import { lists } from '../contract/bodies.ts';
import { listPage, pageOf, pageQuery } from '../contract/list-page.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import { assignedIdOut, nameOut, recordOut } from '../contract/response-fields.ts';
import { NAME } from './people.ts';

const staffSchema = recordOut(
  'StaffMember',
  'Somebody who works here and may answer enquiries.',
  () => ({ id: assignedIdOut('Id of the person.'), name: nameOut(NAME, KEY_NAME_MAX) }),
);

export const staffOperations = operationsNamed({
  listStaff: defineOperation({
    access: 'write',
    tag: 'People',
    stability: 'experimental',
    method: 'GET',
    path: '/staff',
    summary: 'List who may answer enquiries',
    description:
      'Lists the people who work here and have the scope `write`, by id and name alone: who can take care of an enquiry. Follow the Link header for more pages.',
    queryParameters: pageQuery,
    success: lists(
      'A page of people.',
      pageOf(staffSchema, 'Staff', 'People in ascending order of id.'),
      [{ id: 7n, name: 'Maria' }],
    ),
    async handle({ query }, { storage, baseUrl }) {
      const list = listPage({ baseUrl, path: '/staff', query });
      const page = await storage.people.staff(list.request);
      return list.result(page, ({ id, name }: StaffMember) => ({ id, name }));
    },
  }),
});
