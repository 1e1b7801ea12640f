/** What goes back to the client, before it becomes a `Response`. */
export interface Answer {
  readonly status: number;
  /** The whole body, or null for a status that has none. A file goes out without being held. */
  readonly body: string | Blob | null;
  /** Header fields besides those that every answer carries. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the same fields and those of every answer are put together without making a list. */
  readonly prepared?: FieldList;
  /** Left out of the log: there are too many of its kind, and they are told in sums. */
  readonly unlogged?: true;
}

/** The header fields of an answer while they are put together. Names in lower case. */
export interface Fields {
  /** All of them. Making a `Response` of it copies it. */
  readonly headers: Headers;
  set(name: string, value: string): void;
  /** Does the same for a value that is mostly the one of the answer before. */
  keep(name: string, value: string): void;
}

/** A list of fields that many answers use, one after the other. */
export interface FieldList {
  /** The fields of an answer that itself says `own`, until those of another one are asked for. */
  for(own: Answer['headers']): Fields;
}

export const JSON_TYPE = 'application/json';
