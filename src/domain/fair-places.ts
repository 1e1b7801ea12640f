/** Who holds a place: a family of keys, or an address. */
type Holder = bigint | string;

/** The most places of one holder, and of all. */
interface PlaceRules {
  readonly perHolder: number;
  /** Unlimited if absent. */
  readonly inAll?: number;
}

interface Place {
  lose(): void;
}

/**
 * Creates places of which nobody can keep others out: when all are taken, the holder with the most gives its
 * newest one to a holder that would still have fewer.
 */
export function createFairPlaces({ perHolder, inAll = Number.POSITIVE_INFINITY }: PlaceRules) {
  const held = new Map<Holder, Place[]>();
  let taken = 0;

  function leave(holder: Holder, place: Place): void {
    const own = held.get(holder) ?? [];
    const at = own.lastIndexOf(place);
    if (at === -1) return;
    taken--;
    own.splice(at, 1);
    // Holders without places take no memory.
    if (own.length === 0) held.delete(holder);
  }

  /** Takes a place from the holder with the most, for one that has `own`. Returns whether it could. */
  function makeRoom(own: number): boolean {
    let most: [Holder, Place[]] | undefined;
    for (const entry of held) if (entry[1].length > (most?.[1].length ?? 0)) most = entry;
    const place = most?.[1].at(-1);
    if (most === undefined || place === undefined || most[1].length <= own + 1) return false;
    leave(most[0], place);
    place.lose();
    return true;
  }

  return {
    /**
     * Takes a place. Returns the function that gives it back, or undefined if there is none. `lose` is called if the
     * place goes to another holder; then it need not be given back.
     */
    take(holder: Holder, lose: () => void = () => {}): (() => void) | undefined {
      const own = held.get(holder);
      const count = own?.length ?? 0;
      if (count >= perHolder || (taken >= inAll && !makeRoom(count))) return undefined;
      const place = { lose };
      taken++;
      if (own === undefined) held.set(holder, [place]);
      else own.push(place);
      return () => leave(holder, place);
    },
    /** The number of places that are taken. */
    count: () => taken,
  };
}

/** How much work runs at once; the places are for what waits. */
export interface TurnRules extends PlaceRules {
  readonly atOnce: number;
}

/** Runs work when it is its holder's turn. Throws `full()` if there is no place to wait, or it is lost. */
type TakeTurn = <T>(holder: Holder, work: () => Promise<T>) => Promise<T>;

/** The most holders whose last turn is remembered. */
const REMEMBERED_MAX = 10_000;

/** Creates turns: the next one is that of the waiting holder whose last turn is longest ago. */
export function createTurns({ atOnce, ...rules }: TurnRules, full: () => Error): TakeTurn {
  const places = createFairPlaces(rules);
  const waiting: { readonly holder: Holder; start(): void }[] = [];
  /** When each holder had its last turn, counted in turns. */
  const turns = new Map<Holder, number>();
  let turn = 0;
  let running = 0;

  function wait(holder: Holder): Promise<void> {
    return new Promise((resolve, reject) => {
      const release = places.take(holder, () => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(full());
      });
      const entry = {
        holder,
        start() {
          release?.();
          resolve();
        },
      };
      if (release === undefined) reject(full());
      else waiting.push(entry);
    });
  }

  function pass(): void {
    if (waiting.length === 0) {
      running--;
      turns.clear();
      return;
    }
    const turnOf = ({ holder }: { holder: Holder }) => turns.get(holder) ?? 0;
    const next = waiting.reduce((first, other) => (turnOf(other) < turnOf(first) ? other : first));
    waiting.splice(waiting.indexOf(next), 1);
    // Noted now, so that one holder does not get two turns at once.
    note(next.holder);
    next.start();
  }

  function note(holder: Holder): void {
    if (turns.size >= REMEMBERED_MAX) turns.clear();
    turns.set(holder, ++turn);
  }

  return async (holder, work) => {
    if (running >= atOnce) await wait(holder);
    else {
      running++;
      note(holder);
    }
    try {
      return await work();
    } finally {
      pass();
    }
  };
}
