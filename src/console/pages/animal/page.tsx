import { useEffect } from 'preact/hooks';
import { HELD_CARES } from '../../../domain/profile.ts';
import { bringBack, isRestorable, readHistory } from '../../audit-lines.tsx';
import { categoryName } from '../../categories.ts';
import { Button } from '../../components/button.tsx';
import { InAddress, open } from '../../components/dialog.tsx';
import { Status } from '../../components/facts.tsx';
import { BackLink, PageHeader } from '../../components/list-page.tsx';
import { Actions } from '../../components/menu.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { formatDate, todayHere } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded, useOfAnimal } from '../../loading.ts';
import { animalAt, navigate, path, withQuery } from '../../router.ts';
import { type AuditLine, type ListedStay, type Pet, type Profile, store } from '../../service.ts';
import { may } from '../../session.ts';
import { statusName } from '../../words.ts';
import { EditDialog } from '../animals/animal-dialogs.tsx';
import { StatusMenu } from '../animals/animal-table.tsx';
import { forgetChosen, removeAnimal } from '../animals/change-animal.ts';
import { AnimalAdoptions, AnimalEnquiries, History } from './history.tsx';
import { ListingCard } from './listing.tsx';
import { Photos } from './photos.tsx';
import { ProfileCards } from './profile.tsx';
import { LeftDialog, Stays, useStays } from './stays.tsx';

/** One animal: what it looks like, what is known of it, who adopts it and what has happened. */
export default function AnimalPage() {
  const id = animalAt(path.value) ?? 0;
  const pet = useOfAnimal(id, (signal) => store.pets.get(id, { signal }), ['pet']);
  const profile = useOfAnimal(id, (signal) => store.pets.profile(id, { signal }), ['profile']);
  const stays = useStays(id);
  useEffect(forgetChosen, [pet.value]);
  if (pet.error?.code === 'pet_not_found') return <Removed id={Number(id)} />;
  return (
    <WhenLoaded from={pet}>
      {(animal) => (
        <>
          <Heading pet={animal} profile={profile.value} stay={stays.value?.at(-1)} />
          <div class="animal-page">
            <Photos pet={animal} />
            <div class="stack">
              <WhenLoaded from={profile}>
                {(known) => <ProfileCards pet={animal} profile={known} />}
              </WhenLoaded>
            </div>
            <div class="stack animal-side">
              {may('write') && (
                <WhenLoaded from={profile}>
                  {(known) => <ListingCard pet={animal} profile={known} />}
                </WhenLoaded>
              )}
              {may('write') && <Stays pet={animal} loaded={stays} />}
              <AnimalAdoptions pet={animal} />
              {may('write') && <AnimalEnquiries pet={animal} />}
              <History id={animal.id} />
            </div>
          </div>
          {may('write') && <InAddress name="open">{() => <EditDialog pet={animal} />}</InAddress>}
        </>
      )}
    </WhenLoaded>
  );
}

interface HeadingProps {
  readonly pet: Pet;
  /** Undefined until they are known. */
  readonly profile: Profile | undefined;
  readonly stay: ListedStay | undefined;
}

/** The name of the animal, its status and its category, and what can be done with it as a whole. */
function Heading({ pet, profile, stay }: HeadingProps) {
  const { id, name, status, categoryId } = pet;
  const mayWrite = may('write');
  const published = profile && (profile.published ? t`Published` : t`Not published`);
  const held = profile && heldIn(profile);
  return (
    <>
      <BackLink to="animals" name={t`Animals`} />
      <PageHeader title={name}>
        {status === 'available' && !held && may('adopt') && (
          <a class="button" href={`/console/adoptions?place=${id}`}>{t`Start adoption`}</a>
        )}
        {mayWrite && status !== 'sold' && (
          <Button onClick={() => open(<LeftDialog pet={pet} />)}>{t`Left…`}</Button>
        )}
        {mayWrite && (
          <Actions of={name} items={[{ label: t`Remove`, onSelect: () => void remove(pet) }]} />
        )}
      </PageHeader>
      <p class="row animal-facts">
        {mayWrite ? <StatusMenu pet={pet} stay={stay} /> : <Status value={status} />}
        {held && <strong>{held}</strong>}
        <span>{categoryName(categoryId)}</span>
        <span>{t`Number ${id}`}</span>
        {mayWrite && (
          <a
            class="button quiet small"
            href={withQuery({ open: 'edit' })}
            aria-label={t`Edit name and category`}
          >{t`Edit`}</a>
        )}
        {published && (mayWrite ? <a href="#listing">{published}</a> : <span>{published}</span>)}
      </p>
    </>
  );
}

/** Why an animal cannot be adopted yet: `In quarantine until 12 Dec 2026`. */
function heldIn({ care, careUntil }: Profile): string | undefined {
  if (!HELD_CARES.some((one) => one === care) || (careUntil ?? '9999') < todayHere())
    return undefined;
  const name = statusName(`${care}`);
  return careUntil ? t`${name} until ${formatDate(careUntil)}` : name;
}

async function remove(pet: Pet) {
  if (await removeAnimal(pet)) navigate('/console/animals');
}

/** An animal that is not there: what happened to it, and the way to bring it back. */
export function Removed({ id }: { readonly id: Pet['id'] }) {
  const loaded = useLoaded((signal) => readHistory(id, signal), [id]);
  if (loaded.error?.code === 'pet_not_found') return <Unknown />;
  return (
    <WhenLoaded from={loaded}>
      {(lines) => {
        const removal = lines.find(({ type }) => type === 'pet.deleted');
        return removal === undefined ? (
          <Unknown />
        ) : (
          <>
            <RemovedHeading removal={removal} id={id} />
            <History id={id} />
          </>
        );
      }}
    </WhenLoaded>
  );
}

function RemovedHeading({ removal, id }: { readonly removal: AuditLine; readonly id: Pet['id'] }) {
  const name = removal.subject.name ?? t`Number ${id}`;
  return (
    <>
      <PageHeader title={name}>
        {isRestorable(removal) && (
          <Button onClick={() => bringBack({ id, name })}>{t`Bring back`}</Button>
        )}
      </PageHeader>
      <p class="page-lead">{t`This animal was removed.`}</p>
    </>
  );
}

function Unknown() {
  return (
    <>
      <PageHeader title={t`Animal`} />
      <EmptyState
        title={t`Animal not found`}
        text={t`Somebody has removed it, or the address is misspelt.`}
      >
        <a class="button" href="/console/animals">{t`Show all animals`}</a>
      </EmptyState>
    </>
  );
}
