/** The names of keys: whose they are. */
import { signal } from '@preact/signals';
import { store } from './service.ts';
import { may, person } from './session.ts';

const names = signal<ReadonlyMap<number, string>>(new Map());
const asked = new Set<number>();

/** Returns the name of a key; `key 7` for people who may not know it, or until it is known. */
export function keyName(id: number): string {
  if (id === person.value?.id) return person.value.name;
  const name = names.value.get(id);
  if (name === undefined && may('admin') && !asked.has(id)) void readName(id);
  return name ?? `key ${id}`;
}

async function readName(id: number): Promise<void> {
  asked.add(id);
  try {
    const { name } = await store.keys.get(id);
    names.value = new Map(names.value).set(id, name);
  } catch {
    // Its number stays on the screen. The next page that shows it asks again.
    asked.delete(id);
  }
}
