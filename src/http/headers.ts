/** Header names, in lower case, and their values. */
export type HeaderValues = Readonly<Record<string, string>>;
