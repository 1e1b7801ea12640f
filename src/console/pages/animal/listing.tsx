/** Whether the public sees an animal, and why not. */

import type { ComponentChildren } from 'preact';
import { Button } from '../../components/button.tsx';
import { Section, WhenLoaded } from '../../components/states.tsx';
import { t } from '../../language.ts';
import { useOfAnimal } from '../../loading.ts';
import { withQuery } from '../../router.ts';
import { type Pet, type Profile, type Publication, store } from '../../service.ts';
import { printCards } from '../animals/sheets.tsx';
import { changeProfile, editorOf, type ProfileProps } from './profile.tsx';

type Reason = Publication['reasons'][number];

/** The switch that shows an animal to the public, and every reason why it is not shown. */
export function ListingCard({ pet, profile }: ProfileProps) {
  const loaded = useOfAnimal(pet.id, (signal) => store.pets.listing(pet.id, { signal }), [
    'photo',
    'profile',
    'pet',
  ]);
  return (
    <Section id="listing" title={t`For the public`} kind="card side-card">
      <label class="switch">
        <input
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says by itself whether it is on
          role="switch"
          checked={profile.published === true}
          onChange={({ currentTarget }) => {
            const { checked: published } = currentTarget;
            const says = published
              ? t`${pet.name} is published.`
              : t`${pet.name} is no longer published.`;
            // Until it is saved, it shows what holds.
            currentTarget.checked = !published;
            void changeProfile(pet, profile, { published }, says);
          }}
        />
        {t`Published`}
      </label>
      <Button kind="small" onClick={() => printCardOf(pet, profile)}>{t`Print kennel card`}</Button>
      <WhenLoaded from={loaded}>{(listing) => <Reasons pet={pet} listing={listing} />}</WhenLoaded>
    </Section>
  );
}

/** Also of an animal that nobody else sees. */
async function printCardOf(pet: Pet, profile: Profile): Promise<void> {
  const [[photo], { listed }] = await Promise.all([
    store.pets.photos(pet.id),
    store.pets.listing(pet.id),
  ]);
  await printCards([{ pet, profile, photo, listed }]);
}

function Reasons({ pet, listing }: { readonly pet: Pet; readonly listing: Publication }) {
  const { listed, reasons, url } = listing;
  return (
    <>
      <p class="status" data-tone={listed ? 'good' : 'ended'}>
        {listed ? t`Shown to the public` : t`Not shown to the public`}
      </p>
      {url !== null && (
        <p class="row">
          <a href={url} target="_blank" rel="noreferrer">{t`Public page`}</a>
        </p>
      )}
      {reasons.length > 0 && (
        <ul class="reasons">
          {reasons.map((reason) => (
            <li key={reason} class="hint">
              {reasonText(reason, pet)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Says why an animal is not listed, with a link to what can be changed. */
function reasonText(reason: Reason, pet: Pet): ComponentChildren {
  switch (reason) {
    case 'not_published':
      return t`It is not published: switch it on when it may be seen.`;
    case 'sold':
      return t`It has left. Only available and pending animals are shown.`;
    case 'no_species':
      return (
        <>
          {t`Its species is not known.`}{' '}
          <a href={withQuery(editorOf('species'))}>{t`Choose the species`}</a>
        </>
      );
    case 'care':
      return (
        <>
          {t`Animals that are cared for elsewhere than in the shelter or a foster home are not shown.`}{' '}
          <a href={withQuery(editorOf('care'))}>{t`Change where it is`}</a>
        </>
      );
    case 'no_photo':
      return t`It has no photo. Without one, few people look at ${pet.name}.`;
  }
}
