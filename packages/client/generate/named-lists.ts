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
  const names = new Map<string, string>();
  const schemas: Record<string, Schema> = {};
  for (const [text, { fields, words, uses }] of lists) {
    const [field = ''] = fields;
    const isOnly = [...lists.values()].filter((other) => other.fields.has(field)).length === 1;
    if (uses < 2 || fields.size !== 1 || !isOnly) continue;
    const name = SINGULAR[field] ?? field.charAt(0).toUpperCase() + field.slice(1);
    names.set(text, name);
    schemas[name] = { ...words, description: `The values of \`${field}\`.` };
  }
  const referenceTo = (words: unknown) => {
    const name = names.get(JSON.stringify(words));
    return name && { $ref: `#/components/schemas/${name}` };
  };
  const named = JSON.parse(JSON.stringify(document), (_, value) => {
    const { enum: words, properties, description, required = [] }: Schema = value ?? {};
    const list = referenceTo(words);
    if (list !== undefined) return { ...list, description };
    const propertyNames = referenceTo(Object.keys(properties ?? {}));
    if (propertyNames === undefined || required.length > 0) return value;
    const [additionalProperties] = Object.values(properties ?? {});
    return { description, propertyNames, additionalProperties };
  });
  Object.assign(named.components.schemas, schemas);
  return named;
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
