import sample from '../../examples/austin-animals.csv' with { type: 'text' };
import type { PetStorage } from '../domain/pet.ts';
import type { ImportMapping } from '../import/columns.ts';
import { createCsvSource } from '../import/csv-rows.ts';
import { parseNameTemplate, parseStatusMap } from '../import/mapping.ts';
import { checkFile, importRows } from './import/importer.ts';

/** The same mapping as in examples/README.md. */
const MAPPING: ImportMapping = {
  name: 'Name',
  category: 'AnimalType',
  externalId: 'AnimalID',
  status: 'OutcomeType',
  statusMap: parseStatusMap('Adoption=sold,Transfer=pending,Euthanasia=skip,Died=skip,*=available'),
  unnamed: parseNameTemplate('Unnamed {AnimalType} {AnimalID}'),
  repairEncoding: true,
};

/** Imports the sample animals in one batch and returns the number of new ones. */
export async function importSampleAnimals(pets: PetStorage): Promise<number> {
  async function* chunks() {
    yield sample;
  }
  const source = createCsvSource('the sample', chunks);
  const { counts } = await importRows(await checkFile(source, MAPPING), pets);
  return counts.created;
}
