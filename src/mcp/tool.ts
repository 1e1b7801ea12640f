import * as z from 'zod';
import { parseBody } from '../api/contract/check.ts';
import type { Records } from '../domain/records.ts';
import type { JsonValue, WritableJson } from '../http/json.ts';

/** Who may call a tool: `public` is everybody. */
type ToolAccess = 'public' | 'read' | 'write';

/** The shop as a tool sees it, for one call. */
export interface ToolShop {
  readonly storage: Pick<
    Records,
    'pets' | 'profiles' | 'listings' | 'shop' | 'stats' | 'work' | 'orders'
  >;
  /** The time of the call, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** Where the public pages are; null if there are none. */
  readonly pagesRoot: string | null;
  /** Returns whether the caller may call tools with this access. */
  may(access: ToolAccess): boolean;
  /** Throws the `Failure` of a caller who may not. */
  require(access: ToolAccess): void;
  /** Runs an operation of the interface that writes. Throws its `Failure`, also for a missing scope. */
  readonly run: RunWrite;
}

/** A request for an operation that writes. */
interface ToolWrite {
  readonly operation: string;
  /** The id in the path, if there is one. */
  readonly id?: bigint;
  readonly body: WritableJson;
  /** The entity tags that the record may have, as in If-Match. */
  readonly ifMatch?: string;
}

/** Runs an operation as a request for it would be. Returns the id in the response. */
type RunWrite = (write: ToolWrite) => Promise<bigint>;

/** A refusal of a tool: what the program, or who uses it, can do about it. */
export class Refusal extends Error {}

/** What programs are told of the effects of a tool. */
interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: false;
}

/** Only reads. */
export const READS: Annotations = { readOnlyHint: true, openWorldHint: false };
/** Writes, but removes and overwrites nothing that is not seen first. */
export const WRITES: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  openWorldHint: false,
};

/** A schema of an object, for programs. */
type ObjectSchema = { readonly type: 'object'; readonly [keyword: string]: unknown };

/** A tool as the list shows it, and how it is called. */
export interface Tool {
  readonly access: ToolAccess;
  readonly definition: {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: ObjectSchema;
    readonly outputSchema: ObjectSchema;
    readonly annotations: Annotations;
  };
  /** Returns what the tool answers. Throws a `Failure` or a `Refusal`. */
  call(given: JsonValue, shop: ToolShop): Promise<WritableJson>;
}

/** Creates a tool. Its arguments are checked as bodies of requests are; unknown ones are refused. */
export function defineTool<Shape extends z.ZodRawShape>(
  name: string,
  {
    access,
    description,
    input,
    output,
    annotations,
    call,
  }: {
    readonly access: ToolAccess;
    readonly description: string;
    readonly input: Shape;
    /** The members of the answer with their types; a name that ends in `?` may be missing. */
    readonly output: Readonly<Record<string, string>>;
    readonly annotations: Annotations;
    call(given: z.output<z.ZodObject<Shape>>, shop: ToolShop): Promise<WritableJson>;
  },
): Tool {
  const schema = z.strictObject(input, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `${name} takes no ${issue.keys?.join(', ')}`
        : 'must be an object',
  });
  const entries = Object.entries(input) as [string, z.ZodType][];
  const required = entries.filter(([, field]) => !field.safeParse(undefined).success);
  return {
    access,
    definition: {
      name,
      description,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(entries.map(([key, field]) => [key, propertyOf(field)])),
        ...(required.length > 0 && { required: required.map(([key]) => key) }),
      },
      outputSchema: outputSchemaOf(output),
      annotations,
    },
    call: (given, shop) => call(parseBody(schema, given), shop),
  };
}

function outputSchemaOf(output: Readonly<Record<string, string>>): ObjectSchema {
  const names = Object.keys(output);
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(output).map(([name, type]) => [name.replace('?', ''), { type }]),
    ),
    required: names.filter((name) => !name.endsWith('?')),
  };
}

/** Returns what a program needs to know of an argument: its bounds follow from the first refusal. */
function propertyOf(field: z.ZodType): Record<string, unknown> {
  const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
  const { description, override } = (inner as z.ZodType).meta() ?? {};
  const known = typeof override === 'object' ? override.type : 'string';
  const words = inner instanceof z.ZodEnum ? { enum: inner.options } : {};
  if (inner instanceof z.ZodArray) {
    return { type: 'array', items: propertyOf(inner.element as z.ZodType), description };
  }
  return { type: known, ...words, description };
}
