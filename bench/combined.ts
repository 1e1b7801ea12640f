import document from '../openapi.json';
import { createRandom } from '../test/e2e/crash/random.ts';

/** The lists whose filters are combined. */
const LISTS = ['/pets', '/listings', '/animals', '/store/orders', '/events', '/audit'] as const;
/** What would wait, or be refused. */
const LEFT_OUT = ['cursor', 'wait', 'to'];
const random = createRandom(7);

type Schema = { $ref?: string; type?: string; format?: string; enum?: string[]; items?: Schema };

/** Returns a value of a parameter: ids and texts are short, so that some animals have them. */
function valueFor({ $ref, items, enum: words, type, format }: Schema): string {
  const name = $ref?.split('/').at(-1) as keyof typeof document.components.schemas | undefined;
  if (name === 'EventPosition') return String(random.below(9_000));
  if (name !== undefined) return valueFor(document.components.schemas[name] as Schema);
  if (items !== undefined) return `${valueFor(items)},${valueFor(items)}`;
  if (words !== undefined) return random.one(words) ?? '';
  if (type === 'integer') return String(1 + random.below(100));
  const day = `20${10 + random.below(16)}-0${1 + random.below(9)}-1${random.below(10)}`;
  if (format !== undefined) return format === 'date' ? day : `${day}T00:00:00Z`;
  const word = () => random.below(36 ** (1 + random.below(3))).toString(36);
  return Array.from({ length: 1 + random.below(4) }, word).join(' ');
}

/** Returns a request for a list with half of its filters. */
export function combined(n: number): string {
  const path = LISTS[n % LISTS.length] ?? '/pets';
  const parameters = document.paths[path].get.parameters as { name?: string; schema?: Schema }[];
  const pairs = parameters.flatMap(({ name = 'wait', schema = {} }) => {
    const isAsked = !LEFT_OUT.includes(name) && random.below(2) === 0;
    return isAsked ? [`${name}=${encodeURIComponent(valueFor(schema))}`] : [];
  });
  return `/v1${path}?${pairs.join('&')}`;
}
