import { type Check, equal, failureOf, storeOf } from './check.ts';

/** The feed of changes. */
export const eventChecks: readonly Check[] = [
  {
    name: 'events are followed from a position, in order, and a signal ends it',
    async run(world) {
      const { pets, events } = storeOf(world);
      const after = await events.position();
      const ending = new AbortController();
      const seen: string[] = [];
      const following = (async () => {
        for await (const event of events.follow({ after, signal: ending.signal })) {
          if (event.type !== 'pet.created' || !event.data.name.startsWith('Followed')) continue;
          seen.push(event.data.name);
          if (seen.length === 3) ending.abort();
        }
      })();
      for (const number of [1, 2, 3]) {
        await pets.create({ name: `Followed ${number}`, categoryId: 9223372036854775807n });
      }
      equal((await failureOf(following)).code, 'aborted');
      equal(seen, ['Followed 1', 'Followed 2', 'Followed 3']);
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
      const newest = await events.list({ after: await events.position() }).page();
      equal([newest.items, newest.next], [[], undefined]);
    },
  },
];
