/** What is printed of animals: kennel cards, and a sheet to take round. */

import { renderSVG } from 'uqr';
import { categoryName } from '../../categories.ts';
import { printSheets } from '../../components/print.tsx';
import { formatDate, todayHere } from '../../format.ts';
import { t } from '../../language.ts';
import { type Animal, type Pet, type Profile, store } from '../../service.ts';
import { fieldName, statusName } from '../../words.ts';
import { textOf } from '../animal/profile.tsx';
import type { AnimalRow } from './animal-table.tsx';

/** What stands on a card, where it is known. */
const FACTS = [
  ...(['breed', 'sex', 'birthDate', 'size', 'weightGrams', 'colours'] as const),
  ...(['neutered', 'vaccinated', 'houseTrained', 'goodWithDogs'] as const),
  ...(['goodWithCats', 'goodWithChildren', 'specialNeedsNote', 'inCareSince'] as const),
];

/** Prints a card for each animal, one page each. */
export async function printCards(animals: readonly AnimalRow[]): Promise<void> {
  const addresses = new Map<unknown, string>();
  for (const { pet, listed } of animals) {
    // Whoever scans the code of an animal that is not shown finds nothing.
    const { url } = listed === true ? await store.pets.listing(pet.id) : { url: null };
    if (url !== null) addresses.set(pet.id, url);
  }
  await printSheets(
    animals.map((animal) => (
      <Card key={animal.pet.id} of={animal} address={addresses.get(animal.pet.id)} />
    )),
  );
}

interface CardProps {
  readonly of: AnimalRow;
  /** Of the public page. */
  readonly address: string | undefined;
}

function Card({ of: { pet, profile, photo }, address }: CardProps) {
  const known = FACTS.filter((name) => profile?.[name] != null);
  return (
    <article class="kennel-card">
      {photo && <img src={new URL(photo.urls.large).pathname} alt="" />}
      <h1>{pet.name}</h1>
      {profile?.headline && <p class="kennel-lead">{profile.headline}</p>}
      <dl>
        {known.map((name) => (
          <div key={name}>
            <dt>{fieldName(name)}</dt>
            <dd>{textOf(profile as Profile, name)}</dd>
          </div>
        ))}
      </dl>
      {profile?.description && <p class="kennel-text">{profile.description}</p>}
      <footer>
        {address && (
          <>
            <div class="kennel-code" dangerouslySetInnerHTML={{ __html: renderSVG(address) }} />
            <p>{address}</p>
          </>
        )}
        <p>{t`${categoryName(pet.categoryId)}, number ${pet.id}`}</p>
      </footer>
    </article>
  );
}

/** `Cat, Siamese, Female` */
function kindOf({ categoryId }: Pet, { breed, sex }: Profile): string {
  return [categoryName(categoryId), breed, sex && statusName(sex)].filter(Boolean).join(', ');
}

/** Prints animals by their place, those without one last, with room for notes. */
export async function printRound(animals: readonly Animal[]): Promise<void> {
  const places = Map.groupBy(animals, ({ profile }) => profile.location ?? '');
  await printSheets(
    <section class="round-sheet">
      <h1>{t`Round of ${formatDate(todayHere())}`}</h1>
      {[...places].map(([place, there]) => (
        <table key={place}>
          <caption>{place || t`Without a place`}</caption>
          <thead>
            <tr>
              {[t`Name`, t`Animal`, t`Care`, t`Notes`].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {there.map(({ pet, profile }) => (
              <tr key={pet.id}>
                <th scope="row">
                  {pet.name} <small>{String(pet.id)}</small>
                </th>
                <td>{kindOf(pet, profile)}</td>
                <td>
                  {profile.care && statusName(profile.care)}
                  {profile.careUntil && ` (${formatDate(profile.careUntil)})`}
                </td>
                <td />
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </section>,
  );
}
