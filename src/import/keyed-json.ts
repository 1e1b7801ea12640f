import { isKnownHeader } from './headers.ts';
import type { TextChunks } from './row-source.ts';

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const knownKeys = (value: object) => Object.keys(value).filter(isKnownHeader).length;
const DEPTH_MAX = 4;

/** Returns whether an object has rows in it, in an array or by their ids. */
export function holdsRows(value: object, depth = 1): boolean {
  if (keyedIn(value) !== undefined) return true;
  return Object.values(value).some((one: unknown) =>
    Array.isArray(one)
      ? typeof one[0] === 'object'
      : isObject(one) && depth < DEPTH_MAX && holdsRows(one, depth + 1),
  );
}

/** Returns animals that stand in an object by their ids, as some databases and RescueGroups write them. */
function keyedIn(value: object, depth = 1): readonly object[] | undefined {
  const members: unknown[] = Object.values(value);
  const objects = members.filter(isObject);
  const areAnimals = objects.every((one) => knownKeys(one) >= 2);
  if (objects.length > 0 && objects.length === members.length && areAnimals) return objects;
  if (depth === DEPTH_MAX) return undefined;
  for (const one of objects) {
    const found = keyedIn(one, depth + 1);
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
    return isObject(value) ? keyedIn(value) : undefined;
  } catch {
    return undefined;
  }
}
