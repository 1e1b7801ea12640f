import sample from '../../examples/austin-animals.csv' with { type: 'text' };
import { systemClock } from '../domain/clock.ts';
import { dateText } from '../domain/profile.ts';
import type { Storage } from '../domain/storage.ts';
import type { ImportMapping } from '../import/columns.ts';
import { createCsvSource } from '../import/csv-rows.ts';
import { parseNameTemplate, parseStatusMap } from '../import/mapping.ts';
import type { RowSource } from '../import/row-source.ts';
import { checkFile, importRows } from './import/importer.ts';

/** The mapping of examples/README.md, except that a transfer becomes pending by its order. */
const MAPPING: ImportMapping = {
  name: 'Name',
  category: 'AnimalType',
  externalId: 'AnimalID',
  status: 'OutcomeType',
  statusMap: parseStatusMap('Adoption=sold,Euthanasia=skip,Died=skip,*=available'),
  unnamed: parseNameTemplate('Unnamed {AnimalType} {AnimalID}'),
  repairEncoding: true,
  publish: true,
};

/** Few transferred animals are reserved, so that most animals can be adopted. */
const RESERVED_EVERY = 4;

const ADOPTERS = ['Ada', 'Ben', 'Cleo', 'Dana', 'Eli', 'Fay', 'Gus', 'Hana'];

/**
 * Imports the sample animals in one batch, published, with an order for some of those that are transferred. Returns
 * the number of animals.
 */
export async function importSampleAnimals({
  pets,
  orders,
}: Pick<Storage, 'pets' | 'orders'>): Promise<number> {
  async function* chunks() {
    yield sample;
  }
  const transferred = new Set<string>();
  const source = asOfToday(createCsvSource('the sample', chunks), transferred);
  const { counts } = await importRows(await checkFile(source, MAPPING), pets);
  const wanted = await pets.findImported([...transferred]);
  // At once, so that they share a transaction.
  await Promise.all(
    wanted.filter((_, n) => n % RESERVED_EVERY === 0).map(({ id }, n) => adopt(orders, id, n)),
  );
  return counts.created;
}

/** The animals are as old today as they were when they left, and the transferred ones are noted. */
function asOfToday(source: RowSource, transferred: Set<string>): RowSource {
  const today = dateText(systemClock.now());
  async function* rows() {
    for await (const row of source.rows()) {
      if (row.cell('OutcomeType') === 'Transfer') transferred.add(row.cell('AnimalID'));
      const text = (column: string) => (column === 'DateTime' ? today : row.text(column));
      yield { ...row, text };
    }
  }
  return { ...source, rows };
}

/** Places an order, and approves every third. */
async function adopt(orders: Storage['orders'], petId: bigint, number: number): Promise<void> {
  const name = ADOPTERS[number % ADOPTERS.length] ?? '';
  const stamp = { at: systemClock.now(), keyId: null };
  const adopter = `${name} Example`;
  const contact = `${name.toLowerCase()}@example.org`;
  const { id } = await orders.place({ petId, adopter, contact }, stamp);
  if (number % 3 === 0) await orders.update(id, { status: 'approved' }, stamp, () => {});
}
