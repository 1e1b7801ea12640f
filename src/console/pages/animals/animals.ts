/** One page of the list of animals, live. */
import { useEffect, useRef } from 'preact/hooks';
import { onChange } from '../../live.ts';
import { type Loaded, useLoaded } from '../../loading.ts';
import { startPace } from '../../pace.ts';
import { type Event, type Page, type Pet, type PetEvent, store } from '../../service.ts';
import { type AnimalFilter, matches } from './filter.ts';
import { forgetBefore, moment, noteAnimal, noteRemoval, withNews } from './newest.ts';

/** Animals on a page: enough for a few screens, little enough to come at once. */
const PAGE_SIZE = 25;
/** A search of many names may find nothing before its last page: this many are read at once. */
const PAGES_MAX = 5;

/** Animals as they were when they were loaded. */
interface LoadedPage {
  readonly page: Page<Pet>;
  /** The list that was asked for. */
  readonly list: string;
  readonly at: number;
}

type ListLoad = Pick<Loaded<unknown>, 'isLoading' | 'reload'>;

export interface Animals extends ListLoad, Pick<Loaded<unknown>, 'error'> {
  /** Undefined until they are loaded. While another list is loading, that of before. */
  readonly items: readonly Pet[] | undefined;
  /** Names the list and its page. */
  readonly list: string;
  /** The cursor of the next page. */
  readonly next: string | undefined;
}

/** Loads a page of animals and keeps it current. */
export function useAnimals(filter: AnimalFilter, cursor: string | undefined): Animals {
  const { name, status, categoryId } = filter;
  const list = [name, status, categoryId, cursor].join('\n');
  const { value, error, isLoading, reload } = useLoaded<LoadedPage>(
    async (signal) => {
      const at = moment();
      const wanted = { ...filter, limit: PAGE_SIZE };
      let page = await store.pets.list(wanted, { signal }).page(cursor);
      for (let read = 1; page.items.length === 0 && page.next && read < PAGES_MAX; read++) {
        page = await page.next();
      }
      forgetBefore(at);
      return { page, at, list };
    },
    [list],
  );
  // Another list must not pass for this one.
  const isWanted = value !== undefined && (error === undefined || value.list === list);
  const items = isWanted ? withNews(value.page.items, value.at) : undefined;
  const isWorn = isWanted && items?.length === 0 && value.page.items.length > 0;

  useEffect(() => {
    // Everything on this page was removed: others move up.
    if (isWorn) reload();
  }, [isWorn, reload]);

  useEvents(
    (event) => {
      const pet = event.data;
      const isShown = value?.page.items.some(({ id }) => id === pet.id);
      // A list on its way may be older than this event.
      if (isShown || isLoading) note(event);
      return (
        value !== undefined && !isShown && matches(filter, pet) && isWithin(pet, cursor, value)
      );
    },
    { isLoading, reload },
  );

  return { items, list, next: value?.page.nextCursor, error, isLoading, reload };
}

/** Calls back after changes of animals; loads again, soon, if `take` returns true. */
function useEvents(take: (event: PetEvent) => boolean, list: ListLoad): void {
  const latest = useRef({ take, list });
  latest.current = { take, list };
  useEffect(() => {
    const pace = startPace({
      reload: () => latest.current.list.reload(),
      isLoading: () => latest.current.list.isLoading,
    });
    const end = onChange(['pet.created', 'pet.updated', 'pet.deleted'], (event) => {
      if (isPetEvent(event) && latest.current.take(event)) pace.noteChange();
    });
    return () => {
      end();
      pace.end();
    };
  }, []);
}

function isPetEvent(event: Event | undefined): event is PetEvent {
  return event?.type.startsWith('pet.') ?? false;
}

function note({ type, data }: PetEvent): void {
  if (type === 'pet.deleted') noteRemoval(data.id);
  else noteAnimal(data);
}

/** Returns whether an animal has its place on this page. */
function isWithin(pet: Pet, cursor: string | undefined, { page }: LoadedPage): boolean {
  const { items, nextCursor } = page;
  const first = items.at(0);
  const last = items.at(-1);
  const isAfterStart = cursor === undefined || (first !== undefined && pet.id > first.id);
  return isAfterStart && (nextCursor === undefined || (last !== undefined && pet.id < last.id));
}
