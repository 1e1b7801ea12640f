import { useEffect, useRef, useState } from 'preact/hooks';
import { explain } from '../../components/error-state.tsx';
import { Field } from '../../components/field.tsx';
import { count } from '../../format.ts';
import { readNumber } from '../../int64.ts';
import { useLoaded } from '../../loading.ts';
import { type Pet, store } from '../../service.ts';

/** Animals that are shown at once. */
const FOUND_MAX = 6;
/** The pause in typing after which the search starts. */
const TYPING_MS = 250;

interface AnimalFinderProps {
  /** The id of an animal that was chosen on another page. */
  readonly wantedId: string | undefined;
  readonly chosen: Pet | undefined;
  readonly onChoose: (pet: Pet | undefined) => void;
}

/** Finds an available animal by its name. */
export function AnimalFinder({ wantedId, chosen, onChoose }: AnimalFinderProps) {
  const problem = useWanted(wantedId, onChoose);
  const other = useRef<HTMLButtonElement>(null);
  const wasChosenHere = useRef(false);
  useEffect(() => {
    if (chosen && wasChosenHere.current) other.current?.focus();
  }, [chosen]);

  if (chosen !== undefined) {
    return (
      <div class="chosen-animal">
        <p>
          <strong>{chosen.name}</strong>, number {chosen.id}
        </p>
        <button ref={other} type="button" class="button small" onClick={() => onChoose(undefined)}>
          Choose another animal
        </button>
      </div>
    );
  }
  return (
    <AnimalSearch
      problem={problem}
      onChoose={(pet) => {
        wasChosenHere.current = true;
        onChoose(pet);
      }}
    />
  );
}

/** Chooses the animal that another page asked for. Returns why it cannot be chosen. */
function useWanted(wantedId: string | undefined, onChoose: (pet: Pet) => void): string | undefined {
  const [problem, setProblem] = useState<string>();
  const { value, error } = useLoaded(
    async (signal) => (wantedId === undefined ? undefined : await petOf(wantedId, signal)),
    [wantedId],
  );
  useEffect(() => {
    if (error?.code === 'pet_not_found') setProblem('This animal was removed. Choose another one.');
    else if (error !== undefined) setProblem(explain(error));
    else if (value?.status === 'available') onChoose(value);
    else if (value !== undefined) setProblem(`${value.name} is not available. Choose another one.`);
  }, [value, error]);
  return problem;
}

async function petOf(id: string, signal: AbortSignal): Promise<Pet> {
  return store.pets.get(readNumber(id) ?? 0, { signal });
}

interface AnimalSearchProps {
  readonly problem: string | undefined;
  readonly onChoose: (pet: Pet) => void;
}

function AnimalSearch({ problem, onChoose }: AnimalSearchProps) {
  const [name, setName] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const { value, error } = useLoaded(
    async (signal) => (name === '' ? undefined : await search(name, signal)),
    [name],
  );

  function type(text: string) {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setName(text.trim()), TYPING_MS);
  }
  useEffect(() => () => clearTimeout(timer.current), []);

  return (
    <div class="animal-search">
      {problem !== undefined && <p class="problem">{problem}</p>}
      <Field
        {...{ label: 'Animal', name: 'animal', type: 'search', onValue: type }}
        hint="Type a name, then choose. Only available animals are shown."
      />
      <p class="visually-hidden" role="status">
        {value !== undefined && foundText(value)}
      </p>
      {error !== undefined && <p class="problem">{explain(error)}</p>}
      {value !== undefined && <Found found={value} name={name} onChoose={onChoose} />}
    </div>
  );
}

interface FoundAnimals {
  readonly pets: readonly Pet[];
  readonly hasMore: boolean;
}

async function search(name: string, signal: AbortSignal): Promise<FoundAnimals> {
  const wanted = { name, status: 'available', limit: FOUND_MAX } as const;
  let page = await store.pets.list(wanted, { signal }).page();
  const pets = [...page.items];
  // A search of many names may give few animals, or none, before its last page.
  while (page.next !== undefined && pets.length < FOUND_MAX) {
    page = await page.next();
    pets.push(...page.items);
  }
  return { pets: pets.slice(0, FOUND_MAX), hasMore: page.next !== undefined };
}

function foundText({ pets, hasMore }: FoundAnimals): string {
  return hasMore ? `More than ${FOUND_MAX} animals found` : `${count(pets.length, 'animal')} found`;
}

interface FoundProps extends Pick<AnimalSearchProps, 'onChoose'> {
  readonly found: FoundAnimals;
  readonly name: string;
}

function Found({ found, name, onChoose }: FoundProps) {
  if (found.pets.length === 0) return <p>No available animal is called “{name}”.</p>;
  return (
    <>
      <ul class="found-animals" aria-label="Animals found">
        {found.pets.map((pet) => (
          <li key={pet.id}>
            <button type="button" onClick={() => onChoose(pet)}>
              {pet.name} <span class="number-of">number {pet.id}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.hasMore && <p class="hint">There are more. Type more of the name.</p>}
    </>
  );
}
