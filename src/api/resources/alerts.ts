import * as z from 'zod';
import { shows } from '../contract/bodies.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import { countOut, recordOut, textOut } from '../contract/response-fields.ts';

/** The searches that are counted. */
const SEARCHES_MAX = 100;

const CONFIRMED = 'How many are told of new animals.';
const WAITING = 'How many have not confirmed it yet.';

const alertCountSchema = recordOut('AlertCount', 'The alerts for one search.', () => ({
  search: textOut(
    'The filters, as the query of `/listings` and of the adoption pages has them, such as `species=dog`; empty for all animals.',
    500,
  ),
  confirmed: countOut(CONFIRMED),
  waiting: countOut(WAITING),
}));

const alertsSchema = recordOut('Alerts', 'What families want to be told of.', () => ({
  searches: z
    .array(alertCountSchema)
    .max(SEARCHES_MAX)
    .meta({ description: `The ${SEARCHES_MAX} searches with the most alerts, most first.` }),
}));

export const alertOperations = operationsNamed({
  countAlerts: defineOperation({
    method: 'GET',
    path: '/alerts',
    access: 'write',
    stability: 'experimental',
    tag: 'Alerts',
    summary: 'Count alerts by search',
    description:
      'Counts the families that want a mail when a new animal matches a search. Their addresses are not shown to anybody.',
    success: shows('The alerts by search.', alertsSchema, {
      searches: [{ search: 'species=dog&size=small', confirmed: 12, waiting: 1 }],
    }),
    async handle(_, { storage, clock }) {
      const counts = await storage.alerts.counts(clock.now(), SEARCHES_MAX);
      return { value: { searches: counts.map((each) => ({ ...each })) } };
    },
  }),
});
