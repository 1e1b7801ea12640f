import type { Change, LoggedOrder } from '../../../src/domain/change-log.ts';
import type { ChangeStamp } from '../../../src/domain/change-stamp.ts';
import type { Storage } from '../../../src/domain/storage.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { animal, anyState, imported } from '../subject.ts';

/** The stamp of the writes under test. */
export const BY_A_KEY: ChangeStamp = { at: CHANGE_STAMP.at + 1, keyId: 7n };
/** The least int64. */
export const INT64_MIN = -(2n ** 63n);
const REX = { id: 1n, name: 'Rex', categoryId: 1n, status: 'available' } as const;
const DOGS = { id: 1n, name: 'Dogs' };
const PLACED: LoggedOrder = {
  id: 1n,
  petId: 1n,
  status: 'placed',
  placedAt: BY_A_KEY.at,
  updatedAt: BY_A_KEY.at,
};

type Prepare = (storage: Storage) => unknown;

/** Adds animal 1. */
export const addRex: Prepare = ({ pets }) => pets.create(animal(), CHANGE_STAMP);
/** Adds category 1. */
export const addDogs: Prepare = ({ categories }) => categories.create('Dogs', CHANGE_STAMP);
const placeOrder: Prepare = async (storage) => {
  await addRex(storage);
  await storage.orders.place({ petId: 1n, adopter: 'Kim', note: 'secret' }, BY_A_KEY);
};
const importRex: Prepare = ({ pets }) =>
  pets.importBatch([imported({ externalId: 'A1' })], CHANGE_STAMP);

/**
 * Writes, what must exist before each, and the changes that it records. Those of the interface are in
 * `api/resources/list-events.test.ts`.
 */
export const WRITES: [string, Prepare | undefined, Prepare, Change[]][] = [
  [
    'a new name of a category',
    addDogs,
    ({ categories }) => categories.rename(1n, 'dogs', BY_A_KEY, anyState),
    [{ type: 'category.updated', category: { id: 1n, name: 'dogs' } }],
  ],
  [
    'a removal of a category',
    addDogs,
    ({ categories }) => categories.remove(1n, BY_A_KEY, anyState),
    [{ type: 'category.deleted', category: DOGS }],
  ],
  [
    'an erased personal field, without the field',
    placeOrder,
    ({ orders }) => orders.update(1n, { adopter: null }, BY_A_KEY, anyState),
    [{ type: 'order.updated', order: PLACED }],
  ],
  [
    'an import of new animals with a new category',
    undefined,
    ({ pets }) => pets.importBatch([imported({ category: { name: 'Dogs' } })], BY_A_KEY),
    [
      { type: 'category.created', category: DOGS },
      { type: 'pet.created', pet: REX },
    ],
  ],
  [
    'an import that changes an animal',
    importRex,
    ({ pets }) => pets.importBatch([imported({ externalId: 'A1', name: 'Max' })], BY_A_KEY),
    [{ type: 'pet.updated', pet: { ...REX, name: 'Max' } }],
  ],
  [
    'a reset, once and as the last',
    addRex,
    (storage) => storage.reset(BY_A_KEY),
    [{ type: 'store.reset' }],
  ],
];

/** Writes that change nothing, and what must exist before. */
export const NO_CHANGES: [string, Prepare, Prepare][] = [
  [
    'a category set to its own name',
    addDogs,
    ({ categories }) => categories.rename(1n, 'Dogs', BY_A_KEY, anyState),
  ],
  [
    'an order set to its own status',
    placeOrder,
    ({ orders }) => orders.update(1n, { status: 'placed', note: 'secret' }, BY_A_KEY, anyState),
  ],
  ['an import of what is there', importRex, importRex],
  [
    'a rehearsed import',
    importRex,
    ({ pets }) => pets.importBatch([imported()], BY_A_KEY, { dryRun: true }),
  ],
  ['an order for an unknown animal', addRex, ({ orders }) => orders.place({ petId: 2n }, BY_A_KEY)],
  [
    'a removal while an order is open',
    placeOrder,
    ({ pets }) => pets.remove(1n, BY_A_KEY, anyState),
  ],
  [
    'a category whose name is taken',
    addDogs,
    ({ categories }) => categories.create('dogs', BY_A_KEY),
  ],
  [
    'a refused precondition',
    addRex,
    ({ pets }) =>
      pets.update(1n, { name: 'Max' }, BY_A_KEY, () => {
        throw new Error('refused');
      }),
  ],
];
