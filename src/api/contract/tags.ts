import type { oas31 } from 'zod-openapi';

/** A group of operations, or a navigation group that contains only other groups. */
interface Tag {
  readonly description: string;
  /** The navigation group above it; navigation groups have none. */
  readonly parent?: string;
}

/** Every tag, in the order of the document. */
const TAGS = {
  Pets: { description: 'Animals and their categories.' },
  Animals: { description: 'Animals that are or were available for adoption.', parent: 'Pets' },
  Categories: { description: 'Kinds of animals, such as dogs.', parent: 'Pets' },
  Profiles: {
    description: 'What there is to know of an animal: looks, age, health, whom it gets on with.',
    parent: 'Pets',
  },
  Stays: {
    description: 'When and how an animal came and left. For staff alone.',
    parent: 'Pets',
  },
  Reports: { description: 'The animals of a year. For staff alone.', parent: 'Pets' },
  Photos: { description: 'Photos of an animal, in sizes for pages.', parent: 'Pets' },
  Listings: { description: 'What the public sees.', parent: 'Pets' },
  Imports: {
    description: 'Files of animals, imported while you wait or do something else.',
    parent: 'Pets',
  },
  Store: { description: 'Adoptions.' },
  Orders: { description: 'Adoptions, from the application to the new home.', parent: 'Store' },
  Work: { description: 'What there is to do today.', parent: 'Store' },
  Shop: { description: 'What the public is told about the shop.', parent: 'Store' },
  Enquiries: {
    description: 'What people ask about animals on the adoption pages. For staff alone.',
    parent: 'Store',
  },
  Alerts: {
    description: 'What families want to be told of by e-mail. For staff alone.',
    parent: 'Store',
  },
  Channels: {
    description:
      'Places where families look, which get a file of the listed animals. Only keys with the scope `admin` manage them.',
    parent: 'Store',
  },
  Statistics: { description: 'The shop in figures.', parent: 'Store' },
  Account: { description: 'API keys, and what happens in the shop.' },
  Events: {
    description: 'Every change, in order, for programs that follow them.',
    parent: 'Account',
  },
  Audit: { description: 'Who changed what, and when.', parent: 'Account' },
  Keys: {
    description: 'The API keys of this deployment. Only keys with the scope `admin` manage them.',
    parent: 'Account',
  },
  People: {
    description: 'Who works here and signs in at the console. Only managers change them.',
    parent: 'Account',
  },
  Usage: {
    description: 'The limits of your API key, and how much of them you have used.',
    parent: 'Account',
  },
  Tasks: { description: 'What the service does by itself.', parent: 'Account' },
  Webhooks: {
    description:
      'Endpoints that get every event as a signed request. Only keys with the scope `admin` manage them.',
    parent: 'Account',
  },
} as const satisfies Record<string, Tag>;

/** Groups that the document always lists, even without operations. */
const ALWAYS_LISTED: readonly string[] = ['Pets', 'Store'];

type Tags = typeof TAGS;
/** The tags that an operation may have: navigation groups have no operations of their own. */
export type TagName = {
  [N in keyof Tags]: Tags[N] extends { readonly parent: string } ? N : never;
}[keyof Tags];

/** Returns the tags of these operations, with the groups above them. */
export function tagObjects(operations: readonly { readonly tag: TagName }[]): oas31.TagObject[] {
  const used = new Set<string>(ALWAYS_LISTED);
  for (const { tag } of operations) used.add(tag).add(TAGS[tag].parent);
  return Object.entries<Tag>(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, { description, parent }]) => ({
      name,
      description,
      ...(parent !== undefined && { 'x-parent': parent }),
    }));
}
