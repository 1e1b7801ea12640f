import { writeFileSync } from 'node:fs';

/** An animal as the interface shows it, without its id. */
export interface Pet {
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

export interface Order {
  readonly id: number;
  readonly status: string;
}

/** An operation on one animal, as the checker's model defines it (checker/model.go). */
export type Input =
  | ({ readonly kind: 'create' } & Pet)
  | { readonly kind: 'read' | 'order' | 'listOrders' }
  | { readonly kind: 'list'; readonly status?: string | undefined }
  | ({ readonly kind: 'change'; readonly ifMatch?: Pet | undefined } & Partial<Pet>)
  | { readonly kind: 'remove'; readonly ifMatch?: Pet | undefined }
  | { readonly kind: 'readOrder'; readonly orderId: number }
  | { readonly kind: 'move'; readonly orderId: number; readonly status: string };

/** The response to an operation. */
export interface Output {
  readonly status: number;
  readonly pet?: Pet | undefined;
  readonly order?: Order | undefined;
  readonly orders?: readonly Order[] | undefined;
}

/** The times of a request and of its response, in nanoseconds of one clock. */
export interface Times {
  readonly client: number;
  readonly call: number;
  /** Null for an unknown outcome: the operation may take effect later, or never. */
  readonly return: number | null;
}

/** The recorded operations, each on one animal. */
export interface History {
  note(pet: number, times: Times, input: Input, output: Output): void;
  /** Notes a request with an unknown outcome. A create has no id yet: its name identifies it. */
  noteUnknown(pet: number | undefined, times: Times, input: Input): void;
  /** Counts by operation and outcome, as in `change 412`. */
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
  /** Writes one JSON object per line. */
  write(path: string): void;
}

/** Creates an empty history. */
export function createHistory(): History {
  const lines: string[] = [];
  const counts = new Map<string, number>();
  /** Ids by the name under which each animal was first seen. */
  const idsByName = new Map<string, number>();
  const unknownCreates: { readonly times: Times; readonly input: Input }[] = [];

  function add(pet: number, times: Times, input: Input, output: Output | null): void {
    lines.push(JSON.stringify({ pet, ...times, input, output }));
  }

  function count(input: Input, outcome: string | number): void {
    const key = `${input.kind} ${outcome}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }

  return {
    counts,
    get length() {
      return lines.length;
    },
    note(pet, times, input, output) {
      if (output.pet !== undefined && !idsByName.has(output.pet.name)) {
        idsByName.set(output.pet.name, pet);
      }
      add(pet, times, input, output);
      count(input, output.status);
    },
    noteUnknown(pet, times, input) {
      count(input, 'unknown');
      if (pet === undefined) unknownCreates.push({ times, input });
      else add(pet, times, input, null);
    },
    write(path) {
      // An animal that no response ever showed cannot be checked, so it is left out.
      for (const { times, input } of unknownCreates) {
        const pet = idsByName.get('name' in input ? (input.name ?? '') : '');
        if (pet !== undefined) add(pet, times, input, null);
      }
      writeFileSync(path, `${lines.join('\n')}\n`);
    },
  };
}
