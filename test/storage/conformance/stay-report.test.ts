import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  ageAt,
  INTAKE_TYPES,
  OUTCOME_TYPES,
  type Stay,
  type StayReportRow,
} from '../../../src/domain/stay.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { animal, anyState, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
const AFTER = { at: Date.UTC(2027, 11, 1), keyId: 7n };
const option = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });

/** An animal with stays one after the other, the last of which may be open. */
const history = fc.record({
  species: option(fc.constantFrom('dog', 'cat')),
  born: option(fc.nat(200)),
  isRemoved: fc.boolean(),
  stays: fc.array(
    fc.record({
      gap: fc.nat(60),
      days: fc.nat(90),
      intake: option(fc.constantFrom(...INTAKE_TYPES)),
      outcome: fc.constantFrom(...OUTCOME_TYPES),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  isOpen: fc.boolean(),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** A stay as the report counts it. */
type Counted = Pick<Stay, 'intakeDate' | 'intakeType' | 'outcomeDate' | 'outcomeType'> &
  Pick<StayReportRow, 'species' | 'age'>;

function expectedRow(stays: readonly Counted[], from: string, to: string) {
  const within = (date: string | null) => date !== null && date >= from && date <= to;
  const tally = (types: readonly string[]) =>
    Object.fromEntries(
      [...Map.groupBy(types, (type) => type)].map(([type, all]) => [type, all.length]),
    );
  return {
    start: stays.filter((s) => s.intakeDate < from && (s.outcomeDate ?? '~') >= from).length,
    intakes: tally(stays.filter((s) => within(s.intakeDate)).map((s) => s.intakeType ?? 'unknown')),
    outcomes: tally(stays.filter((s) => within(s.outcomeDate)).map((s) => String(s.outcomeType))),
    end: stays.filter((s) => s.intakeDate <= to && (s.outcomeDate ?? '~') > to).length,
  };
}

const counted = (counts: object) =>
  Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  async function add({ species, born, stays, isOpen, isRemoved }: History): Promise<Counted[]> {
    const { storage } = subject;
    const { id } = await storage.pets.create(animal(), AFTER);
    const birthDate = born === null ? null : day(born);
    await storage.profiles.update(id, { species, birthDate }, AFTER, anyState);
    const made: Counted[] = [];
    let at = 0;
    for (const [n, { gap, days, intake, outcome }] of stays.entries()) {
      const intakeDate = day(at + gap);
      const hasLeft = n < stays.length - 1 || !isOpen;
      at += gap + days;
      const stay = {
        ...{ intakeDate, intakeType: intake },
        ...{ outcomeDate: hasLeft ? day(at) : null, outcomeType: hasLeft ? outcome : null },
      };
      const own = { species: species ?? 'unknown', age: ageAt(birthDate, intakeDate) } as const;
      made.push({ ...stay, ...own });
      const [first] = (await storage.stays.list(id)) ?? [];
      if (n === 0 && first) await storage.stays.update(id, first.id, stay, AFTER, anyState);
      else await storage.stays.create(id, stay, AFTER);
    }
    if (isRemoved && !isOpen) await storage.pets.remove(id, AFTER, anyState);
    return made;
  }

  test('a report counts every stay, by a model: start + intakes − outcomes = end', async () => {
    const range = fc.tuple(fc.nat(400), fc.nat(369));
    const known: Counted[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(history, { maxLength: 3 }), range, async (more, [start, days]) => {
        for (const one of more) known.push(...(await add(one)));
        const [from, to] = [day(start), day(start + days)];
        const { rows, total } = await subject.storage.stays.report(from, to);
        const sum = (counts: object) => Object.values(counts).reduce((a, b) => a + Number(b), 0);
        for (const row of [...rows, total]) {
          expect(row.start + sum(row.intakes) - sum(row.outcomes)).toBe(row.end);
        }
        const whole = ({ start: n, intakes, outcomes, end }: typeof total) => ({
          ...{ start: n, intakes: counted(intakes), outcomes: counted(outcomes), end },
        });
        expect(whole(total)).toEqual(expectedRow(known, from, to));
        for (const row of rows) {
          const own = known.filter((s) => s.species === row.species && s.age === row.age);
          expect(whole(row)).toEqual(expectedRow(own, from, to));
        }
      }),
      { numRuns: 30 },
    );
  }, 120_000);

  test('counts each of many stays once, though they are read in several turns', async () => {
    const { database, storage } = subject;
    await database.sql(
      `INSERT INTO stays (pet_id, intake_date, outcome_date, outcome_type, species)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
       SELECT 100000 + i, CASE WHEN i % 4 = 0 THEN '2025-06-01' ELSE '2026-02-01' END,
         CASE WHEN i % 2 = 0 THEN '2026-03-01' END, CASE WHEN i % 2 = 0 THEN 'adopted' END, 'dog'
       FROM n`,
    );
    const { total } = await storage.stays.report('2026-01-01', '2026-12-31');
    expect(total).toMatchObject({ start: 5_000, end: 10_001, medianDays: 150.5 });
    expect(counted(total.intakes)).toEqual({ unknown: 15_001 });
    expect(counted(total.outcomes)).toEqual({ adopted: 10_000 });
  });
});
