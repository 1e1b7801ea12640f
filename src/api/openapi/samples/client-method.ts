/** A group of operations in the TypeScript client: `store.pets`. */
export interface ClientGroup {
  readonly name: string;
  /** The record as operation ids name it: `Pet` in `listPets`. */
  readonly record: string;
}

/** The groups, by the first part of a path without `/store`. */
export const CLIENT_GROUPS: readonly ClientGroup[] = [
  { name: 'pets', record: 'Pet' },
  { name: 'categories', record: 'Category' },
  { name: 'imports', record: 'Import' },
  { name: 'orders', record: 'Order' },
  { name: 'events', record: 'Event' },
  { name: 'webhooks', record: 'Webhook' },
  { name: 'keys', record: 'Key' },
  { name: 'usage', record: 'Usage' },
  { name: 'stats', record: 'Stats' },
];

/** Returns the group of the operations at a path. Throws if it has none. */
export function clientGroupOf(path: string): ClientGroup {
  const [, first] = /^(?:\/store)?\/([a-z]+)/.exec(path) ?? [];
  const group = CLIENT_GROUPS.find(({ name }) => name === first);
  if (group === undefined) throw new Error(`no group of the client has the path ${path}`);
  return group;
}

/** Returns the name of a method: the verb of its operation, or what it reads of a record. */
export function clientMethodName({ record }: ClientGroup, operationId: string): string {
  const [, verb = '', rest = ''] = /^([a-z]+)(.*)$/.exec(operationId) ?? [];
  const plural = record.replace(/(?<![aeiou])y$/, 'ie');
  const object = rest.replace(new RegExp(`^(?:${record}|${plural}s)(?![a-z])`), '');
  if (object === '') return verb;
  return ['list', 'get'].includes(verb) ? object.toLowerCase() : verb + object;
}

/** Returns whether the method returns a list that is read page by page, from its parameters. */
export function isPagedList(parameters: readonly { readonly name?: string }[] = []): boolean {
  return parameters.some(({ name }) => name === 'cursor' || name === 'after');
}
