/**
 * What is known of single animals since a list was loaded: from events and from one's own changes.
 * It is shown at once, without loading the list again.
 */
import { signal } from '@preact/signals';
import type { Int64, Pet } from '../../service.ts';

/** An animal as it is now; null if it was removed. */
interface News {
  readonly pet: Pet | null;
  readonly at: number;
}

const news = signal<ReadonlyMap<string, News>>(new Map());
let now = 0;

/** Returns a moment to compare news with. */
export function moment(): number {
  return ++now;
}

/** Notes an animal as it is now. */
export function noteAnimal(pet: Pet): void {
  news.value = new Map(news.value).set(String(pet.id), { pet, at: moment() });
}

/** Notes that an animal was removed. */
export function noteRemoval(id: Int64): void {
  news.value = new Map(news.value).set(String(id), { pet: null, at: moment() });
}

/** Forgets what is older than a list that was just loaded. */
export function forgetBefore(at: number): void {
  const rest = [...news.value].filter(([, one]) => one.at > at);
  if (rest.length < news.value.size) news.value = new Map(rest);
}

/** Returns an animal as it is now; null if it was removed, undefined if there is no news. */
export function newest(id: Int64): Pet | null | undefined {
  return news.value.get(String(id))?.pet;
}

/** Returns animals as they are now, without those that were removed. */
export function withNews(pets: readonly Pet[], loadedAt: number): readonly Pet[] {
  return pets.flatMap((pet) => {
    const one = news.value.get(String(pet.id));
    if (one === undefined || one.at < loadedAt) return [pet];
    return one.pet === null ? [] : [one.pet];
  });
}
