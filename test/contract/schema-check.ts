import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { WritableJson } from '../../src/http/json.ts';

/** A schema of the document, or any other object in it. */
export type DocumentPart = { readonly [key: string]: WritableJson };

/** Bounds are texts: a `number` would round those of an int64. */
interface WholeNumber {
  readonly minimum: string;
  readonly maximum: string;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addKeyword({
  keyword: 'wholeNumber',
  validate: ({ minimum, maximum }: WholeNumber, value: unknown) =>
    typeof value === 'bigint' && value >= BigInt(minimum) && value <= BigInt(maximum),
});

ajv.addKeyword({
  keyword: 'anyNumber',
  validate: ({ minimum, maximum }: WholeNumber, value: unknown) =>
    ['number', 'bigint'].includes(typeof value) &&
    Number(value) >= Number(minimum) &&
    Number(value) <= Number(maximum),
});

/** Reads JSON with every integer as `bigint`, so that nothing is rounded. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source: string }) =>
    typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? '')
      : value,
  );
}

/** A copy of a schema that requires exact integers wherever it requires integers. */
function exact(value: WritableJson | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(exact);
  const { minimum, maximum, ...rest } = value as DocumentPart; // Neither null nor a list.
  const copy = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, exact(part)]));
  const { type } = rest;
  if (type !== 'integer' && type !== 'number') return { ...copy, ...defined({ minimum, maximum }) };
  const { type: _type, format: _format, ...others } = copy;
  const keyword = type === 'integer' ? 'wholeNumber' : 'anyNumber';
  return { ...others, [keyword]: { minimum: String(minimum), maximum: String(maximum) } };
}

function defined(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Creates a check of values against the document's schemas; it returns the problems in words. */
export function createSchemaCheck(document: DocumentPart) {
  const components = exact(document['components'] ?? {});
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

  return function problemsOf(schema: WritableJson, value: unknown): string[] {
    const text = JSON.stringify(exact(schema));
    let validate = compiled.get(text);
    if (validate === undefined) {
      // References start at the root of the document, so each schema gets their targets.
      validate = ajv.compile({ ...JSON.parse(text), components });
      compiled.set(text, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath || 'it'} ${message} ${JSON.stringify(params)}`,
    );
  };
}
