import { type Check, equal, failureOf, storeOf } from './check.ts';

/** The feed of changes. */
export const eventChecks: readonly Check[] = [
  {
    name: 'events are followed from a position, in order, and a signal ends it',
    async run(world) {
      const { pets, events } = storeOf(world);
      const after = await events.position();
      const ending = new AbortController();
      // Other runtimes add animals too.
      const name = `Followed ${Math.random()} `;
      const names = [1, 2, 3].map((number) => name + number);
      const seen: string[] = [];
      const follow = async () => {
        for await (const event of events.follow({ after, signal: ending.signal })) {
          if (event.type !== 'pet.created' || !event.data.name.startsWith(name)) continue;
          seen.push(event.data.name);
          if (seen.length === 3) ending.abort();
        }
      };
      // It may end before the last addition has: its error is caught from the start.
      const failure = failureOf(follow());
      for (const name of names) await pets.create({ name, categoryId: 9223372036854775807n });
      equal((await failure).code, 'aborted');
      equal(seen, names);
    },
  },
  {
    name: 'the list of events ends, although its last page has a link',
    async run(world) {
      const { pets, events } = storeOf(world);
      const after = await events.position();
      const pet = await pets.create({ name: 'Listed', categoryId: 9223372036854775807n });
      for (const limit of [1, 2]) {
        const found = [];
        for await (const event of events.list({ after, limit, type: 'pet.created' })) {
          if (event.type === 'pet.created' && event.data.id === pet.id) found.push(event.data);
        }
        equal(found, [pet]);
      }
    },
  },
];
