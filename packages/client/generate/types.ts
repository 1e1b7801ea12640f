import { nameOf, type Schema } from '../../../src/api/openapi/document-model.ts';

type Schemas = Readonly<Record<string, Schema>>;

/** Returns the declaration of a schema as an exported type. */
export function declare(name: string, schema: Schema, schemas: Schemas): string {
  const comment = commentOf(schema.description);
  const { properties, required } = schema;
  if (properties === undefined) return `${comment}export type ${name} = ${typeOf(schema)};`;
  const base = baseOf(name, schema, schemas);
  if (base === undefined) {
    return `${comment}export interface ${name} ${fieldsOf(properties, required)}`;
  }
  const inherited = schemas[base]?.properties ?? {};
  const own = Object.entries(properties).filter(([field]) => !(field in inherited));
  const fields = fieldsOf(Object.fromEntries(own), required);
  return `${comment}export interface ${name} extends ${base} ${fields}`;
}

/**
 * Returns the name of the schema that this one adds fields to: `Key` for `IssuedKey`,
 * `ImportSummary` for `Import`, `PublicProfile` for `Profile`.
 */
export function baseOf(name: string, schema: Schema, schemas: Schemas): string | undefined {
  const { properties = {}, required = [] } = schema;
  return Object.keys(schemas).find((other) => {
    const base = schemas[other];
    if (base?.properties === undefined) return false;
    const isNamedSo = name.endsWith(other) || other.startsWith(name) || other === `Public${name}`;
    if (!isNamedSo) return false;
    const inherited = Object.entries(base.properties);
    if (inherited.length >= Object.keys(properties).length) return false;
    return inherited.every(
      ([field, type]) =>
        Bun.deepEquals(type, properties[field]) &&
        required.includes(field) === (base.required ?? []).includes(field),
    );
  });
}

/** Returns a schema as the text of a TypeScript type. */
export function typeOf(schema: Schema): string {
  const { $ref, type, items, properties, anyOf = schema.oneOf } = schema;
  if ($ref !== undefined) return nameOf($ref);
  const choices = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (choices !== undefined) return choices.map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ');
  if (typeof type === 'object')
    return type.map((one) => typeOf({ ...schema, type: one })).join('|');
  if (properties !== undefined) return fieldsOf(properties, schema.required);
  if (items !== undefined) return `readonly (${typeOf(items)})[]`;
  if (type === 'integer') return isInt64(schema) ? 'Int64' : 'number';
  if (type === undefined || type === 'object') {
    const { additionalProperties: values, propertyNames } = schema;
    const value = typeof values === 'object' ? typeOf(values) : 'unknown';
    if (propertyNames !== undefined) return `Partial<Record<${typeOf(propertyNames)}, ${value}>>`;
    return `Readonly<Record<string, ${value}>>`;
  }
  return type;
}

function fieldsOf(fields: Readonly<Record<string, Schema>>, required: readonly string[] = []) {
  const lines = Object.entries(fields).map(([name, field]) => {
    const optional = !required.includes(name);
    const undefinable = optional ? ' | undefined' : '';
    return `${commentOf(descriptionOf(field))}${name}${optional ? '?' : ''}: ${typeOf(field)}${undefinable};`;
  });
  return `{\n${lines.join('\n')}\n}`;
}

/** What is said of a field: where it may be null, the document says it of the value. */
function descriptionOf({ description, anyOf = [] }: Schema): string | undefined {
  return description ?? anyOf.find((schema) => schema.description !== undefined)?.description;
}

/** Returns whether a `number` cannot hold every value of an integer. */
function isInt64({ format, maximum = Number.POSITIVE_INFINITY }: Schema): boolean {
  return format === 'int64' && !(maximum <= Number.MAX_SAFE_INTEGER);
}

/** Returns a description as a comment of one or more lines. */
export function commentOf(description: string | undefined): string {
  if (description === undefined) return '';
  const lines = description.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1 && lines.join().length < 92) return `/** ${lines} */\n`;
  const wrapped = lines.flatMap((line) => line.match(/.{1,94}(?:\s|$)/g) ?? ['']);
  return `/**\n${wrapped.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}
