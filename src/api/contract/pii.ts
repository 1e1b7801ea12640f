import * as z from 'zod';
import type { Operation } from './operation.ts';

/** Schemas of personally identifiable information. */
const piiSchemas = z.registry<{ readonly pii: true }>();

/** Marks a field as PII: its value never reaches the log. */
export function pii<S extends z.ZodType>(schema: S): S {
  piiSchemas.add(schema, { pii: true });
  return schema;
}

/** Returns the names of all PII fields of these operations. It looks in request bodies: all PII comes in them. */
export function piiFields(operations: readonly Operation[]): readonly string[] {
  const names = new Set<string>();
  for (const { body } of operations) {
    if (body !== undefined) collect(body.schema, names);
  }
  return [...names];
}

function collect(schema: z.ZodType, names: Set<string>): void {
  if (schema instanceof z.ZodArray) collect(unwrapped(schema.element), names);
  if (!(schema instanceof z.ZodObject)) return;
  for (const [name, field] of Object.entries<z.ZodType>(schema.shape)) {
    const inner = unwrapped(field);
    if (piiSchemas.has(inner)) names.add(name);
    collect(inner, names);
  }
}

function unwrapped(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return unwrapped(schema.unwrap());
  }
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError('expected a Zod schema');
}
