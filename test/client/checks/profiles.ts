import { type Check, equal, failureOf, storeOf } from './check.ts';

/** A PNG of 6 × 4 pixels. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAYAAAAEAQAAAACFf3PuAAAAC0lEQVR42mNggAAAAAgAAST8BHIAAAAASUVORK5CYII=';

/** What is known of an animal, what the public sees of it, and its photos. */
export const profileChecks: readonly Check[] = [
  {
    name: 'a profile that came with a listing can be changed, while what it said holds',
    async run(world) {
      const { pets, listings } = storeOf(world);
      const word = `w${Math.random().toString(36).slice(2)}`;
      const { id } = await pets.create({ name: word, categoryId: 1 });
      await pets.updateProfile(id, { species: 'dog', published: true });
      const { items } = await listings.list({ species: ['cat', 'dog'], q: word });
      const read = items[0]?.profile;
      equal(read?.species, 'dog');
      // What only staff sees was not read, so its change is none of it.
      await pets.updateProfile(id, { location: 'Kennel 12' });
      await pets.updateProfile(id, { headline: 'Likes balls' }, { ifMatch: read });
      const late = pets.updateProfile(id, { headline: 'Likes sticks' }, { ifMatch: read });
      equal((await failureOf(late)).code, 'precondition_failed');
      equal((await listings.count({ q: word })).species, { dog: 1 });
      await pets.delete(id);
    },
  },
  {
    name: 'a photo is sent as bytes, or as a file with or without a type',
    async run(world) {
      const { pets } = storeOf(world);
      const { id } = await pets.create({ name: 'Willow', categoryId: 1 });
      const bytes = Uint8Array.from(atob(PNG), (character) => character.charCodeAt(0));
      const files = [
        bytes,
        bytes.buffer,
        new Blob([bytes]),
        new Blob([bytes], { type: 'image/png' }),
      ];
      for (const file of files) {
        const photo = await pets.addPhoto(id, file, { alt: 'A cat' });
        equal([photo.width, photo.height, photo.alt], [6, 4, 'A cat']);
      }
      equal((await pets.photos(id)).length, 1);
      const note = pets.addPhoto(id, new Blob(['a note'], { type: 'text/plain' }));
      equal((await failureOf(note)).code, 'unsupported_media_type');
      await pets.delete(id);
    },
  },
];
