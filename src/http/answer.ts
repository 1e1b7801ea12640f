/** What goes back to the client, before it becomes a `Response`. */
export interface Answer {
  readonly status: number;
  /** The whole body, or null for a status that has none. */
  readonly body: string | null;
  /** Header fields besides those that every answer carries. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export const JSON_TYPE = 'application/json';
