import sample from '../../examples/austin-animals.csv' with { type: 'text' };
import type { PetStorage } from '../domain/pet.ts';
import type { ImportMapping } from './import/columns.ts';
import { createCsvSource } from './import/csv-rows.ts';
import { checkRows, importRows } from './import/importer.ts';
import { nameTemplateArgument } from './import/name-template.ts';
import { statusMapArgument } from './import/status-map.ts';

/** The same mapping as in examples/README.md. */
const MAPPING: ImportMapping = {
  name: 'Name',
  category: 'AnimalType',
  externalId: 'AnimalID',
  status: 'OutcomeType',
  statusMap: statusMapArgument(
    'Adoption=sold,Transfer=pending,Euthanasia=skip,Died=skip,*=available',
  ),
  unnamed: nameTemplateArgument('Unnamed {AnimalType} {AnimalID}'),
  repairEncoding: true,
};

/** Imports the sample animals in one batch and returns the number of new ones. */
export async function importSampleAnimals(pets: PetStorage): Promise<number> {
  async function* chunks() {
    yield sample;
  }
  const source = createCsvSource('the sample', chunks);
  const { created } = await importRows(await checkRows(source, MAPPING), pets);
  return created;
}
