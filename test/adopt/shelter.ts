import { addPhoto } from '../photos/adding.ts';
import { idOf } from '../support/animals.ts';
import { picture } from '../support/pictures.ts';
import type { TestPetstore } from '../support/start.ts';

/** Adds an animal that is listed, with a profile and photos. Returns its id. */
export async function addListed(
  { writer }: Pick<TestPetstore, 'writer'>,
  name: string,
  profile: object = {},
  photos = 0,
): Promise<bigint> {
  const id = idOf(await writer.post('/v1/pets', { name, categoryId: 1, status: 'available' }));
  const known = { published: true, species: 'dog', ...profile };
  const { status, text } = await writer.patch(`/v1/pets/${id}/profile`, known);
  if (status !== 200) throw new Error(text);
  for (let n = 0; n < photos; n++) {
    await addPhoto(
      writer,
      id,
      await picture(n % 2 === 0 ? 640 : 480, 480, 'jpeg', Number(id) * 20 + n),
    );
  }
  return id;
}

/** Everything that a profile can say to the public. */
export const WHOLE = {
  ...{ breed: 'Boxer', secondBreed: 'Beagle', mixed: true, sex: 'female' },
  ...{ birthDate: '2020-05-01', birthDatePrecision: 'month', size: 'large', weightGrams: 21_400 },
  ...{ coat: 'short', colours: ['Brown', 'White'], energy: 'high', neutered: true },
  ...{ goodWithDogs: 'selective', goodWithCats: 'no', goodWithChildren: 'over_5' },
  ...{ vaccinated: true, houseTrained: false, specialNeeds: true, specialNeedsNote: 'Eye drops' },
  ...{
    headline: 'Calm & kind',
    description: 'First.\n\nSecond <line>.',
    inCareSince: '2020-06-01',
  },
  ...{ fee: { amount: 15_000, currency: 'EUR' }, videoUrl: 'https://videos.example/1' },
};
