import { ImportFailure } from './failure.ts';
import { isKnownHeader } from './headers.ts';
import { holdsRows, keyedRows } from './keyed-json.ts';
import { createObjectSource } from './ndjson-rows.ts';
import { ROW_CHARACTERS_MAX, type RowSource, type TextChunks } from './row-source.ts';

/** Returns whether a text starts a JSON document: an array, or an object with rows in it. */
export function isJsonDocument(start: string): boolean {
  const text = start.trimStart();
  if (/^\[\s*[{\]]/.test(text)) return true;
  if (!text.startsWith('{')) return false;
  const [line = ''] = text.split('\n', 1);
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return false;
    // An animal can have an array too, such as its photos.
    return Object.keys(value).filter(isKnownHeader).length < 2 && holdsRows(value);
  } catch {
    // An object over several lines, or longer than the start of the file.
    return line.length < text.length || /\[\s*\{|^\{\s*"[^"]{0,200}"\s*:\s*\{/.test(line);
  }
}

/** Reads the objects of a JSON array, of the one array in a JSON object, or those that it has by their ids. */
export function createJsonSource(name: string, chunks: TextChunks): RowSource {
  let keyed: ReturnType<typeof keyedRows> | undefined;
  // A file is read several times, and this reads it whole.
  return createObjectSource(name, () => {
    keyed ??= keyedRows(chunks);
    return rowsOf(name, chunks, keyed);
  });
}

async function* rowsOf(name: string, chunks: TextChunks, found: ReturnType<typeof keyedRows>) {
  const keyed = await found;
  if (keyed === undefined) yield* objectsOf(name, chunks());
  else yield* keyed.map((one, at) => ({ number: at + 1, text: JSON.stringify(one) }));
}

/**
 * Yields the texts of the objects, each with its line. The array is the first one that holds objects, so a
 * document of any size is read as a stream.
 */
async function* objectsOf(name: string, chunks: AsyncIterable<string>) {
  let line = 1;
  let startLine = 1;
  let text = '';
  let isString = false;
  let isEscaped = false;
  /** The brackets that are open. */
  const open: string[] = [];
  /** The depth of the array whose objects are rows; 0 until it is found. */
  let arrayDepth = 0;
  let isDone = false;
  for await (const chunk of chunks) {
    let from = 0;
    const found: { readonly number: number; readonly text: string }[] = [];
    for (let at = 0; at < chunk.length && !isDone; at++) {
      const sign = chunk[at] ?? '';
      if (sign === '\n') line++;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (sign === '\\') isEscaped = true;
        else if (sign === '"') isString = false;
        continue;
      }
      if (sign === '"') isString = true;
      else if (sign === '{' || sign === '[') {
        const isRow =
          sign === '{' && open.at(-1) === '[' && (arrayDepth || open.length) === open.length;
        if (isRow) {
          arrayDepth = open.length;
          startLine = line;
          from = at;
          text = '';
        }
        open.push(sign);
      } else if (sign === '}' || sign === ']') {
        open.pop();
        if (arrayDepth === 0) continue;
        if (sign === '}' && open.length === arrayDepth) {
          found.push({ number: startLine, text: text + chunk.slice(from, at + 1) });
          text = '';
          from = at + 1;
        } else if (sign === ']' && open.length < arrayDepth) isDone = true;
      }
    }
    if (arrayDepth > 0 && open.length > arrayDepth) text += chunk.slice(from);
    if (text.length > ROW_CHARACTERS_MAX) {
      throw new ImportFailure(
        `${name}: the object that starts on line ${startLine} is too long; nothing was imported.`,
      );
    }
    yield* found;
    if (isDone) return;
  }
  throw new ImportFailure(
    `${name} is not a whole JSON document with an array of objects; nothing was imported.`,
  );
}
