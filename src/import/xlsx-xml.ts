import { Parser } from 'htmlparser2';
import type { ImportFailure } from './failure.ts';

/** Makes the failure of a file, from what is wrong with it. */
export type Refuse = (why: string) => ImportFailure;

/** What is done with the XML of a part. */
export interface Handlers {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/** Creates a parser of the XML of a spreadsheet, with names without their prefixes. */
export function parserOf({ open, close, text }: Handlers, refuse: Refuse): Parser {
  const local = (name: string) => name.replace(/^.*:/, '');
  return new Parser(
    {
      onopentag: (name, attributes) => open(local(name), attributes),
      onclosetag: (name) => close?.(local(name)),
      ontext: (data) => text?.(data),
      onprocessinginstruction(name) {
        if (name.startsWith('!')) throw refuse('has a document type, which no spreadsheet has');
      },
    },
    { xmlMode: true },
  );
}

/** Parses a whole part, if there is one. */
export function parseAll(bytes: Uint8Array | undefined, handlers: Handlers, refuse: Refuse): void {
  if (bytes !== undefined) parserOf(handlers, refuse).end(new TextDecoder().decode(bytes));
}
