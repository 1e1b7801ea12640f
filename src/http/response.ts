/** What goes back to the client, before it becomes a `Response`. */
export interface HttpResponse {
  readonly status: number;
  /** The whole body, or null for a status that has none. A file goes out without being held. */
  readonly body: string | Blob | null;
  /** Header fields besides those that every answer carries. Names in lower case. */
  readonly headers: HeaderValues;
  /** Where the same fields and those of every answer are put together without making a list. */
  readonly prepared?: FieldList;
  /** Left out of the log: there are too many of its kind, and they are told in sums. */
  readonly unlogged?: true;
}

/** The header fields of an answer while they are put together. Names in lower case. */
export interface Fields {
  /** All of them. */
  readonly headers: Headers;
  /** The status and all fields, to make a `Response` with, which copies them. */
  readonly init: ResponseInit | Response;
  set(name: string, value: string): void;
  /** Sets all fields of a group, which is mostly that of the answer before, the very same object. */
  keep(group: HeaderValues): void;
}

/** Names, in lower case, and values of fields. */
export type HeaderValues = Readonly<Record<string, string>>;

/** A list of fields that many answers use, one after the other. */
export interface FieldList {
  /** The fields of an answer that itself says `own`, until those of another one are asked for. */
  for(own: HeaderValues): Fields;
}

export const JSON_TYPE = 'application/json';
