import * as z from 'zod';
import { CATEGORY_NAME_MAX } from '../../domain/name.ts';
import { STATS_CATEGORIES_MAX, STATS_WEEKS, weekAt, weekName } from '../../domain/stats.ts';
import { today } from '../../domain/stay.ts';
import { shows } from '../contract/bodies.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import { assignedIdOut, countOut, nameOut, recordOut } from '../contract/response-fields.ts';

const statsSchema = recordOut('Stats', 'The shop in figures.', () => ({
  pets: z
    .object({
      available: countOut('Animals that are available.'),
      pending: countOut('Animals with an open order.'),
      sold: countOut('Animals that have found a home.'),
    })
    .meta({ description: 'Animals by status.' }),
  adoptable: countOut('Animals that could be adopted today: available, and not held.'),
  categories: z
    .array(
      z
        .object({
          id: assignedIdOut('Id of the category.'),
          name: nameOut('Name of the category.', CATEGORY_NAME_MAX),
          pets: countOut('Animals in the category, of any status.'),
        })
        .meta({ id: 'CategoryStats', description: 'A category with the number of its animals.' }),
    )
    .max(STATS_CATEGORIES_MAX)
    .meta({
      description: `Categories, the largest first. Only the ${STATS_CATEGORIES_MAX} with the most animals.`,
    }),
  adoptions: z
    .array(
      z
        .object({
          week: z.string().meta({
            description: 'A week of ISO 8601, from Monday to Sunday in UTC.',
            minLength: 8,
            maxLength: 8,
            pattern: String.raw`^\d{4}-W\d{2}$`,
          }),
          completed: countOut('Orders that were completed in the week.'),
        })
        .meta({ id: 'WeekStats', description: 'The adoptions of a week.' }),
    )
    .min(STATS_WEEKS)
    .max(STATS_WEEKS)
    .meta({
      description: `The last ${STATS_WEEKS} weeks up to the current one, from the oldest to the newest.`,
    }),
}));

const EXAMPLE_WEEK = weekAt(Date.UTC(2026, 10, 22));

/** Returns the last weeks in order; `completed` returns the count of a week. */
function weeksUntil(last: number, completed: (week: number) => number) {
  return Array.from({ length: STATS_WEEKS }, (_, n) => {
    const week = last - STATS_WEEKS + 1 + n;
    return { week: weekName(week), completed: completed(week) };
  });
}

export const statsOperations = operationsNamed({
  getStats: defineOperation({
    method: 'GET',
    path: '/stats',
    access: 'read',
    stability: 'beta',
    tag: 'Statistics',
    summary: 'Get the shop in figures',
    description: `Counts animals by status and by category, and adoptions by week. The counts are exact and current, however many animals there are. A category that was never named is not listed, so the animals of the categories may be fewer than those by status.`,
    success: shows('The current figures.', statsSchema, {
      pets: { available: 214, pending: 12, sold: 1_480 },
      adoptable: 201,
      categories: [
        { id: 1n, name: 'Dogs', pets: 961 },
        { id: 2n, name: 'Cats', pets: 745 },
      ],
      adoptions: weeksUntil(EXAMPLE_WEEK, (week) => 20 + (week % 9)),
    }),
    async handle({ stamp }, { storage: { stats, animals } }) {
      const last = weekAt(stamp.at);
      const categories = await stats.categories(STATS_CATEGORIES_MAX);
      const [pets, adoptable, adoptions] = await Promise.all([
        stats.pets(),
        animals.countAdoptable(today(stamp)),
        stats.adoptions(last - STATS_WEEKS + 1),
      ]);
      const byWeek = new Map(adoptions.map(({ week, completed }) => [week, completed]));
      return {
        value: {
          pets,
          adoptable,
          categories: categories.map((category) => ({ ...category })),
          adoptions: weeksUntil(last, (week) => byWeek.get(week) ?? 0),
        },
      };
    },
  }),
});
