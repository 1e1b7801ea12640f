/** Processor time of one response, in microseconds. */
export interface Cost {
  readonly instance: number;
  readonly postgres: number;
  readonly valkey: number;
}

/** What a request asks for. An uncached response is read from the database. */
export type Kind = 'cached list' | 'cached animal' | 'list' | 'animal' | 'addition';

export type Costs = Readonly<Record<Kind, Cost>>;

const SHARED = /^\| ours on PostgreSQL and Valkey \|(.*)\|$/m;
const ENGINES = /^ours on PostgreSQL and Valkey: .*PostgreSQL ([\d.]+) .*Valkey ([\d.]+) /m;
/** The column `CPU µs`, behind two ratios and the responses per second. */
const CPU_COLUMN = 3;

/** Reads the costs of our service on PostgreSQL and Valkey from the text of bench/RESULTS.md. */
export function readCosts(results: string): Costs {
  const sections = results.split('\n## ');
  function of(title: string): Cost {
    const section = sections.find((text) => text.startsWith(title)) ?? '';
    const cells = SHARED.exec(section)?.[1]?.split('|') ?? [];
    const [, postgres, valkey] = ENGINES.exec(section) ?? [];
    const cost = {
      instance: Number.parseFloat(cells[CPU_COLUMN] ?? ''),
      postgres: Number(postgres),
      valkey: Number(valkey),
    };
    if (Object.values(cost).some(Number.isNaN)) throw new Error(`no costs under "${title}"`);
    return cost;
  }
  const animal = of('GET /v1/pets/{petId} (all');
  // Half of these requests are for lists, the other half for single animals.
  const both = of('Mixed: half lists, half single animals of 100,000, 0 %');
  return {
    'cached list': of('GET /v1/pets (20'),
    'cached animal': of('GET /v1/pets/{petId} (1000'),
    list: combine([2, both], [-1, animal]),
    animal,
    addition: of('POST /v1/pets '),
  };
}

/** Adds costs, each multiplied by its share. */
export function combine(...parts: readonly (readonly [share: number, cost: Cost])[]): Cost {
  const sum = (part: keyof Cost) =>
    parts.reduce((total, [share, cost]) => total + share * cost[part], 0);
  return { instance: sum('instance'), postgres: sum('postgres'), valkey: sum('valkey') };
}
