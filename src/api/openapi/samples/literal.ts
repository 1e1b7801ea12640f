/** The longest literal on one line. */
const LINE_MAX = 60;

/** Returns a value of JSON, in which integers may be `bigint`, as TypeScript. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? `${value}` : `${value}n`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  const fields = Object.entries(value).map(([name, field]) => `${key(name)}: ${literal(field)}`);
  const line = `{ ${fields.join(', ')} }`;
  if (line.length <= LINE_MAX) return line;
  return `{\n${fields.map((field) => `  ${field.replaceAll('\n', '\n  ')},`).join('\n')}\n}`;
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`;
}

function key(name: string): string {
  return /^[a-zA-Z_]\w*$/.test(name) ? name : quoted(name);
}
