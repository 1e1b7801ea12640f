import { type Check, equal, storeOf } from './check.ts';

const LARGEST = 9223372036854775807n;
const SMALLEST = -9223372036854775808n;

/** Ids over the whole range of int64, out and in. */
export const int64Checks: readonly Check[] = [
  {
    name: 'the largest and the smallest categoryId stay exact through create, get, update and list',
    async run(world) {
      const { pets } = storeOf(world);
      for (const categoryId of [LARGEST, SMALLEST]) {
        const created = await pets.create({ name: 'Willow', categoryId });
        equal(created.categoryId, categoryId, 'created');
        equal((await pets.get(created.id)).categoryId, categoryId, 'read');
        const other = categoryId === LARGEST ? LARGEST - 1n : SMALLEST + 1n;
        const moved = await pets.update(created.id, { categoryId: other });
        equal(moved.categoryId, other, 'moved');
        const back = await pets.update(created.id, { categoryId }, { ifMatch: moved });
        equal(back.categoryId, categoryId, 'moved back');
        const { items } = await pets.list({ categoryId, id: [created.id] }).page();
        equal(items, [{ ...created, categoryId }], 'listed');
        await pets.delete(created.id, { ifMatch: back });
      }
    },
  },
  {
    name: 'a categoryId that a number holds is a number',
    async run(world) {
      const { pets } = storeOf(world);
      for (const categoryId of [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
        const pet = await pets.create({ name: 'Willow', categoryId });
        equal(pet.categoryId, categoryId);
        equal(typeof pet.id, 'number');
      }
      const beyond = await pets.create({ name: 'Willow', categoryId: 9007199254740992n });
      equal(beyond.categoryId, 9007199254740992n);
    },
  },
  {
    name: 'an integer that a number has rounded is refused before it is sent',
    async run(world) {
      const { pets } = storeOf(world);
      const rounded = Number(LARGEST);
      const calls = [
        () => pets.create({ name: 'Willow', categoryId: rounded }),
        () => pets.list({ categoryId: rounded }).page(),
      ];
      for (const call of calls) {
        const error = await call().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        equal(error instanceof RangeError, true, 'a RangeError');
      }
    },
  },
];
