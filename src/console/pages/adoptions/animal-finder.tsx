import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { categoryName } from '../../categories.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { explain } from '../../failures.ts';
import { count } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { readId } from '../../router.ts';
import { type Pet, store } from '../../service.ts';

const FOUND_MAX = 6;

interface AnimalFinderProps {
  /** The id of an animal that was chosen on another page. */
  readonly wantedId: string | undefined;
  readonly chosen: Pet | undefined;
  readonly onChoose: (pet: Pet | undefined) => void;
}

/** Finds an available animal by its name or number. */
export function AnimalFinder({ wantedId, chosen, onChoose }: AnimalFinderProps) {
  const problem = useWanted(wantedId, onChoose);
  const place = useRef<HTMLDivElement>(null);
  const wasChosenHere = useRef(false);
  useEffect(() => {
    if (chosen && wasChosenHere.current) place.current?.querySelector('button')?.focus();
  }, [chosen]);

  function choose(pet: Pet) {
    wasChosenHere.current = true;
    onChoose(pet);
  }

  if (chosen === undefined) return <AnimalSearch problem={problem} onChoose={choose} />;
  return (
    <div class="row spread" ref={place}>
      <p>
        <strong>{chosen.name}</strong>, {factsOf(chosen)}
      </p>
      <Button kind="small" onClick={() => onChoose(undefined)}>{t`Choose another animal`}</Button>
    </div>
  );
}

/** `Cat, Number 12` */
function factsOf({ id, categoryId }: Pet): string {
  return [categoryName(categoryId), t`Number ${id}`].filter(Boolean).join(', ');
}

/** Chooses the animal that another page asked for. Returns why it cannot be chosen. */
function useWanted(wantedId: string | undefined, onChoose: (pet: Pet) => void): string | undefined {
  const { value, error } = useLoaded(
    async (signal) =>
      wantedId === undefined ? undefined : await store.pets.get(readId(wantedId) ?? 0, { signal }),
    [wantedId],
  );
  const isFree = value?.status === 'available';
  useEffect(() => {
    if (isFree) onChoose(value);
  }, [value]);
  if (error?.code === 'pet_not_found') return t`This animal was removed. Choose another one.`;
  if (error) return explain(error);
  return value && !isFree ? t`${value.name} is not available. Choose another one.` : undefined;
}

interface AnimalSearchProps {
  readonly problem: string | undefined;
  readonly onChoose: (pet: Pet) => void;
}

/** A field with a list below it. The arrow keys go through the list, Enter chooses. */
function AnimalSearch({ problem, onChoose }: AnimalSearchProps) {
  const listId = useId();
  const [name, setName] = useState('');
  const [place, setPlace] = useState(0);
  const { value, error } = useLoaded(
    async (signal) => (name === '' ? undefined : await search(name, signal)),
    [name],
  );
  const pets = (name !== '' && value?.pets) || [];

  function type(text: string) {
    setPlace(0);
    setName(text);
  }

  function press(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const pet = pets[place];
    if (step !== undefined) setPlace((place + step + pets.length) % Math.max(1, pets.length));
    else if (event.key === 'Enter' && pet) onChoose(pet);
    else return;
    event.preventDefault();
  }

  return (
    <div class="animal-search">
      {problem !== undefined && <p class="problem">{problem}</p>}
      <Field
        label={t`Animal`}
        name="animal"
        onTyped={type}
        hint={t`Type a name or a number, then choose. Only available animals are shown.`}
        more={{
          role: 'combobox',
          'aria-autocomplete': 'list',
          'aria-expanded': pets.length > 0,
          'aria-controls': listId,
          'aria-activedescendant': pets.length > 0 ? `${listId}-${place}` : undefined,
          onKeyDown: press,
        }}
      />
      <p class="visually-hidden" role="status">
        {value !== undefined && foundText(value)}
      </p>
      {error !== undefined && <p class="problem">{explain(error)}</p>}
      {value?.pets.length === 0 && <p>{t`No available animal is called “${name}”.`}</p>}
      <div class="found-animals" role="listbox" id={listId} aria-label={t`Animals found`}>
        {pets.map((pet, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          <div
            key={pet.id}
            role="option"
            id={`${listId}-${index}`}
            aria-selected={index === place}
            onClick={() => onChoose(pet)}
          >
            {pet.name} <span class="hint">{factsOf(pet)}</span>
          </div>
        ))}
      </div>
      {value?.hasMore && <p class="hint">{t`There are more. Type more of the name.`}</p>}
    </div>
  );
}

interface FoundAnimals {
  readonly pets: readonly Pet[];
  readonly hasMore: boolean;
}

async function search(name: string, signal: AbortSignal): Promise<FoundAnimals> {
  const wanted = { status: 'available', limit: FOUND_MAX } as const;
  const id = readId(name);
  const numbered = id === undefined ? undefined : store.pets.list({ ...wanted, id }, { signal });
  const pets = [...((await numbered)?.items ?? [])];
  let page = await store.pets.list({ ...wanted, name }, { signal }).page();
  pets.push(...page.items);
  // A search of many names may give few animals, or none, before its last page.
  while (page.next !== undefined && pets.length < FOUND_MAX) {
    page = await page.next();
    pets.push(...page.items);
  }
  return { pets: pets.slice(0, FOUND_MAX), hasMore: page.next !== undefined };
}

function foundText({ pets, hasMore }: FoundAnimals): string {
  return hasMore
    ? t`More than ${FOUND_MAX} animals found`
    : t`${count(pets.length, 'animal')} found`;
}
