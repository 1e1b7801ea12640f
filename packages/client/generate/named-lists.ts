import type { DocumentModel, Parameter, Schema } from '../../../src/api/openapi/document-model.ts';

/** Where the name of a field does not name one of its values. */
const SINGULAR: Readonly<Record<string, string>> = { scopes: 'Scope' };

/** A list of words in the document: the fields that take it, and its text. */
interface WordList {
  readonly fields: Set<string>;
  readonly words: Schema;
  uses: number;
}

/**
 * Returns the document with a schema for each list of words that several fields of one name share, such as `Species`,
 * and a reference in its place, also where an object has a field for each word. A name that stands for several lists,
 * such as `status`, names none of them.
 */
export function nameLists(document: DocumentModel): DocumentModel {
  const lists = listsIn(document);
  const schemas: Record<string, Schema> = {};
  const references = new Map<string, string>();
  for (const [text, { fields, words, uses }] of lists) {
    const [field = ''] = fields;
    const isOnly = [...lists.values()].filter((other) => other.fields.has(field)).length === 1;
    if (uses < 2 || fields.size !== 1 || !isOnly) continue;
    const name = SINGULAR[field] ?? field.charAt(0).toUpperCase() + field.slice(1);
    references.set(text, `#/components/schemas/${name}`);
    schemas[name] = { ...words, description: `The values of \`${field}\`.` };
  }
  const { components, ...others } = withReferences(document, references);
  return { ...others, components: { schemas: { ...components.schemas, ...schemas } } };
}

/**
 * Returns the document with a reference such as `Event['type']` for each list of all values that tell
 * the members of a union apart.
 */
export function nameUnionTypes(document: DocumentModel): DocumentModel {
  const references = new Map<string, string>();
  for (const [name, { discriminator }] of Object.entries(document.components.schemas)) {
    if (discriminator === undefined) continue;
    const { propertyName, mapping } = discriminator;
    const reference = `#/components/schemas/${name}['${propertyName}']`;
    references.set(JSON.stringify(Object.keys(mapping)), reference);
  }
  return withReferences(document, references);
}

/** Replaces each list of words, and each object with an optional field for each of them, by the text of the list. */
function withReferences(
  document: DocumentModel,
  references: ReadonlyMap<string, string>,
): DocumentModel {
  return JSON.parse(JSON.stringify(document), (_, value) => {
    const { enum: words, properties = {}, description, required = [] }: Schema = value ?? {};
    const list = references.get(JSON.stringify(words));
    if (list !== undefined) return { $ref: list, description };
    const keys = references.get(JSON.stringify(Object.keys(properties)));
    if (keys === undefined || required.length > 0) return value;
    const [additionalProperties] = Object.values(properties);
    return { description, propertyNames: { $ref: keys }, additionalProperties };
  });
}

/** Returns the lists of words by their text. */
function listsIn(document: DocumentModel): ReadonlyMap<string, WordList> {
  const lists = new Map<string, WordList>();
  const note = (words: readonly unknown[], field: string): void => {
    const text = JSON.stringify(words);
    const list = lists.get(text) ?? { fields: new Set(), words: { enum: words }, uses: 0 };
    list.fields.add(field);
    list.uses++;
    lists.set(text, list);
  };
  const visit = (value: unknown, field: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { enum: words, properties, ...others }: Schema & Parameter = value;
    if (words !== undefined) note(words, field);
    for (const [name, property] of Object.entries(properties ?? {})) visit(property, name);
    const parameter = others.in === undefined ? undefined : others.name;
    for (const child of Object.values(others)) visit(child, parameter ?? field);
  };
  visit(document, '');
  return lists;
}
