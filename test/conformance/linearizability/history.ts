import { writeFileSync } from 'node:fs';

/** What the interface shows of an animal besides its id. */
export interface Pet {
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

export interface Order {
  readonly id: number;
  readonly status: string;
}

/** What was asked of one animal, as the checker's model knows it (checker/model.go). */
export type Input =
  | ({ readonly kind: 'create' } & Pet)
  | { readonly kind: 'read' | 'order' | 'listOrders' }
  | { readonly kind: 'list'; readonly status?: string | undefined }
  | ({ readonly kind: 'change'; readonly ifMatch?: Pet | undefined } & Partial<Pet>)
  | { readonly kind: 'remove'; readonly ifMatch?: Pet | undefined }
  | { readonly kind: 'readOrder'; readonly orderId: number }
  | { readonly kind: 'move'; readonly orderId: number; readonly status: string };

/** What came back. */
export interface Output {
  readonly status: number;
  readonly pet?: Pet | undefined;
  readonly order?: Order | undefined;
  readonly orders?: readonly Order[] | undefined;
}

/** When a request was sent and answered, in nanoseconds of one clock. */
export interface Times {
  readonly client: number;
  readonly call: number;
  /** Null where no answer tells what became of it: it may take effect later, or never. */
  readonly return: number | null;
}

/** What happened to the animals, an operation of one of them at a time. */
export interface History {
  note(pet: number, times: Times, input: Input, output: Output): void;
  /** Notes a request whose answer is lost. One that creates has no id yet: its name tells. */
  noteUnanswered(pet: number | undefined, times: Times, input: Input): void;
  /** How often each operation had each outcome: `change 412`. */
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
  /** Writes all of it, a JSON object a line. */
  write(path: string): void;
}

/** Begins a history. */
export function createHistory(): History {
  const lines: string[] = [];
  const counts = new Map<string, number>();
  /** Ids under the name with which the animal was seen first. */
  const idsByName = new Map<string, number>();
  const createdUnanswered: { readonly times: Times; readonly input: Input }[] = [];

  function add(pet: number, times: Times, input: Input, output: Output | null): void {
    lines.push(JSON.stringify({ pet, ...times, input, output }));
  }

  function count(input: Input, outcome: string | number): void {
    const what = `${input.kind} ${outcome}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
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
    noteUnanswered(pet, times, input) {
      count(input, 'unanswered');
      if (pet === undefined) createdUnanswered.push({ times, input });
      else add(pet, times, input, null);
    },
    write(path) {
      // Of those that nobody ever saw, none can say whether they are there.
      for (const { times, input } of createdUnanswered) {
        const pet = idsByName.get('name' in input ? (input.name ?? '') : '');
        if (pet !== undefined) add(pet, times, input, null);
      }
      writeFileSync(path, `${lines.join('\n')}\n`);
    },
  };
}
