import * as z from 'zod';
import { dayOf } from '../../domain/clock.ts';
import { Failure } from '../../domain/failure.ts';
import { SPECIES } from '../../domain/profile.ts';
import {
  INTAKE_TYPES,
  OUTCOME_TYPES,
  REPORT_DAYS_MAX,
  reportOf,
  STAY_AGES,
  type StayReport,
  today,
} from '../../domain/stay.ts';
import { shows } from '../contract/bodies.ts';
import { csvInQuery, csvLine, csvResult, wantsCsv } from '../contract/csv.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import { countOut, recordOut } from '../contract/response-fields.ts';
import { dateInQuery, dateOut } from './profile-fields.ts';

const INTAKES = [...INTAKE_TYPES, 'unknown'] as const;

/** Each name says what it counts. */
const counts = (id: string, names: readonly string[], description: string) =>
  z.lazy(() =>
    z
      .object(Object.fromEntries(names.map((name) => [name, countOut('How many.')])))
      .meta({ id, description }),
  );
const intakesSchema = counts('StayIntakes', INTAKES, 'Animals that came, by how.');
const outcomesSchema = counts('StayOutcomes', OUTCOME_TYPES, 'Animals that left, by how.');

const days = (description: string) =>
  z.number().min(0).max(4_000_000).nullable().meta({ description });

const numbers = () => ({
  start: countOut('Animals that were here before the first day.'),
  intakes: intakesSchema,
  outcomes: outcomesSchema,
  end: countOut('Animals that were here after the last day: start + intakes - outcomes.'),
  liveReleaseRate: z.number().min(0).max(1).nullable().meta({
    description:
      'The part of all outcomes that were adopted, to_owner, transferred or to_field; null without outcomes.',
  }),
  medianDays: days('The median stay of those who left, in days; null without any.'),
  meanDays: days('The mean of the same.'),
});

const reportSchema = recordOut(
  'StayReport',
  'Animals that came and left between two days.',
  () => ({
    from: dateOut('The first day.'),
    to: dateOut('The last day. It belongs to the report.'),
    rows: z
      .array(
        z
          .object({
            species: z.string().meta({
              description: 'The species, or `unknown`.',
              maxLength: 20,
              pattern: '^[a-z_]+$',
            }),
            age: z.enum(STAY_AGES).meta({
              description:
                'The age at intake: `juvenile` under 5 months. `unknown` without a birth date.',
            }),
            ...numbers(),
          })
          .meta({ id: 'StayReportRow', description: 'The animals of a species and an age.' }),
      )
      .max((SPECIES.length + 1) * STAY_AGES.length)
      .meta({ description: 'A row for each species and age with animals.' }),
    total: z.object(numbers()).meta({ id: 'StayReportTotal', description: 'All rows together.' }),
  }),
);

const EXAMPLE = reportOf([
  { species: 'dog', age: 'adult', intake: null, outcome: null, days: null, count: 14 },
  { species: 'dog', age: 'adult', intake: 'stray', outcome: 'to_owner', days: 2, count: 31 },
]);

/** The cells of a row after its species and age. */
function lineOf({ intakes, outcomes, start, end, ...rest }: StayReport['total']): unknown[] {
  const { liveReleaseRate, medianDays, meanDays } = rest;
  return [
    ...[
      start,
      ...INTAKES.map((name) => intakes[name]),
      ...OUTCOME_TYPES.map((name) => outcomes[name]),
    ],
    ...[end, liveReleaseRate, medianDays, meanDays],
  ];
}

const COLUMNS = [
  ...['species', 'age', 'start', ...INTAKES.map((name) => `in_${name}`)],
  ...[...OUTCOME_TYPES.map((name) => `out_${name}`), 'end'],
  ...['live_release_rate', 'median_days', 'mean_days'],
];

export const reportOperations = operationsNamed({
  getStayReport: defineOperation({
    method: 'GET',
    path: '/reports/stays',
    access: 'write',
    stability: 'experimental',
    tag: 'Reports',
    summary: 'Count who came and who left',
    description: `Counts the stays between two days, both included, at most ${REPORT_DAYS_MAX} days: for each species and age at intake, who was here at the start, who came and left and how, and who was here at the end. Asked for \`text/csv\`, it is a file with the total as its last line.`,
    queryParameters: z.object({
      from: dateInQuery(
        'The first day: by default the first one of the year of `to`.',
        '2026-01-01',
      ),
      to: dateInQuery('The last day: today by default.', '2026-12-31'),
      ...csvInQuery,
    }),
    success: {
      ...shows('The report.', reportSchema, {
        from: '2026-01-01',
        to: '2026-12-31',
        ...EXAMPLE,
      }),
      headers: ['ETag', 'Content-Disposition'],
      csv: csvLine(COLUMNS, {}),
    },
    async handle({ query, client, stamp }, { storage }) {
      const { to = today(stamp), from = `${to.slice(0, 4)}-01-01` } = query;
      const length = dayOf(Date.parse(to)) - dayOf(Date.parse(from)) + 1;
      if (length < 1 || length > REPORT_DAYS_MAX) {
        const rule = `from and to must be 1 to ${REPORT_DAYS_MAX} days, in their order.`;
        throw new Failure('invalid_parameter', rule);
      }
      const { rows, total } = await storage.stays.report(from, to);
      if (!wantsCsv(client)) {
        return { value: { from, to, rows, total } };
      }
      const lines = [
        COLUMNS,
        ...rows.map(({ species, age, ...row }) => [species, age, ...lineOf(row)]),
        ['total', '', ...lineOf(total)],
      ];
      const texts = lines.map((cells) => csvLine(cells, query));
      return csvResult(texts, query, `stays-${from}-${to}.csv`);
    },
  }),
});
