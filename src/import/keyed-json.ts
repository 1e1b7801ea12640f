import { isKnownHeader } from './headers.ts';
import type { TextChunks } from './row-source.ts';
import { KNOWN_MIN } from './table-rows.ts';

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const DEPTH_MAX = 4;
/** Members of an object that are looked at, and different ones of a document: to look one up takes some microseconds. */
const MEMBERS_MAX = 300;
const LOOKED_UP_MAX = 3_000;

/** Counts the known headers among the members of objects. One document has the same ones again and again. */
function createCounter() {
  const known = new Map<string, boolean>();
  return (value: object) => {
    let count = 0;
    for (const key of Object.keys(value).slice(0, MEMBERS_MAX)) {
      if (known.size < LOOKED_UP_MAX && !known.has(key)) known.set(key, isKnownHeader(key));
      if (known.get(key)) count++;
      if (count === KNOWN_MIN) break;
    }
    return count;
  };
}

/** Returns whether an object has rows in it, in an array or by their ids. */
export function holdsRows(value: object, depth = 1): boolean {
  if (keyedIn(value, createCounter()) !== undefined) return true;
  return Object.values(value).some((one: unknown) =>
    Array.isArray(one)
      ? typeof one[0] === 'object'
      : isObject(one) && depth < DEPTH_MAX && holdsRows(one, depth + 1),
  );
}

/** Returns animals that stand in an object by their ids, as some databases and RescueGroups write them. */
function keyedIn(
  value: object,
  knownIn: (one: object) => number,
  depth = 1,
): readonly object[] | undefined {
  const members: unknown[] = Object.values(value);
  const objects = members.filter(isObject);
  const areAnimals = objects.every((one) => knownIn(one) === KNOWN_MIN);
  if (objects.length > 0 && objects.length === members.length && areAnimals) return objects;
  if (depth === DEPTH_MAX) return undefined;
  for (const one of objects) {
    const found = keyedIn(one, knownIn, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A document of animals by their ids is read whole. */
const WHOLE_MAX = 8 * 1024 * 1024;

/** Reads animals by their ids; undefined for any other document. */
export async function keyedRows(chunks: TextChunks): Promise<readonly object[] | undefined> {
  let text = '';
  for await (const chunk of chunks()) {
    text += chunk;
    if (text.length > WHOLE_MAX || text.trimStart().startsWith('[')) return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? keyedIn(value, createCounter()) : undefined;
  } catch {
    return undefined;
  }
}
