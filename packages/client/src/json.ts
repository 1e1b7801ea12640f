/** A signed 64-bit integer: a `number` where that is exact, else a `bigint`. */
export type Int64 = number | bigint;

/** Only a number with this many digits can be beyond 2^53. */
const LONG_NUMBER = /\d{16}/;
const TOKEN = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]|[^\s[\]{}:,]+)/y;
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON like `JSON.parse`, but with a `bigint` for each integer that a `number` cannot hold.
 * Throws a `SyntaxError` if the text is not JSON.
 */
export function readJson(text: string): unknown {
  // It also checks the syntax, so that the code below need not.
  const value = JSON.parse(text);
  return LONG_NUMBER.test(text) ? readExactly(text) : value;
}

function readExactly(text: string): unknown {
  const tokens = new RegExp(TOKEN);
  const next = () => tokens.exec(text)?.[1] ?? '';

  function read(token: string): unknown {
    if (token === '[') {
      const items: unknown[] = [];
      for (let item = next(); item !== ']'; item = next()) {
        if (item !== ',') items.push(read(item));
      }
      return items;
    }
    if (token === '{') {
      const fields: [string, unknown][] = [];
      for (let name = next(); name !== '}'; name = next()) {
        if (name === ',') continue;
        next();
        fields.push([JSON.parse(name), read(next())]);
      }
      return Object.fromEntries(fields);
    }
    const value = JSON.parse(token);
    return INTEGER.test(token) && !Number.isSafeInteger(value) ? BigInt(token) : value;
  }

  return read(next());
}

/**
 * Writes JSON like `JSON.stringify`, with a `bigint` as a plain number. Throws a `RangeError` for an
 * integer that the `number` holding it may already have rounded.
 */
export function writeJson(value: unknown): string | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return writeNumber(value);
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item) ?? 'null')}]`;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) {
    return JSON.stringify(value);
  }
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const text = writeJson(field);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${fields}}`;
}

/** Writes a number; throws a `RangeError` if it is an integer beyond 2^53 and no `bigint`. */
export function writeNumber(value: Int64): string {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`${value} may have been rounded. Write integers this large as bigint.`);
  }
  return typeof value === 'bigint' ? `${value}` : JSON.stringify(value);
}
