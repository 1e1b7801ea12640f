/** The parts of our OpenAPI 3.1 document that samples and the TypeScript client are made from. */
export interface DocumentModel {
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationModel>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface OperationModel {
  readonly operationId: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content; readonly required?: boolean };
  readonly responses: Record<string, { readonly $ref?: string; readonly content?: Content }>;
}

export interface Parameter {
  readonly $ref?: string;
  readonly in?: string;
  readonly name?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

/** Bodies by media type. */
export type Content = Readonly<
  Record<string, { readonly schema: Schema; readonly example?: unknown }>
>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  /** The property that tells the schemas of `oneOf` apart, with the schema for each of its values. */
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, string>>;
  };
}

/** Returns the last part of a reference: the name of a schema or parameter. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** Returns the body in JSON; undefined without one. */
export function jsonContent(
  body: { readonly content?: Content } | undefined,
): Content[string] | undefined {
  return body?.content?.['application/json'];
}

/** Returns the successful response of an operation. */
export function successOf({
  responses,
}: OperationModel): { readonly content?: Content } | undefined {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
}
