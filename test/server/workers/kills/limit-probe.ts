import type { Client, ClientResponse } from '../../../support/client.ts';

/** A client that always asks for more than its key may. */
export interface LimitProbe {
  /** Notes that counts may have been forgotten: those of the last second before `killedAt`. */
  noteForgotten(killedAt: number): void;
  /** Stops asking. Returns what the service granted. */
  end(): Promise<GrantedCounts>;
}

/** Requests that were granted beyond the limit of a minute. */
export interface GrantedCounts {
  readonly granted: number;
  readonly beyond: number;
  /** The same without those that a killed process may forget. */
  readonly beyondPromise: number;
}

/** A granted request. */
interface Granted {
  /** The end of its minute, as the service reports it. */
  readonly minute: string;
  readonly at: number;
}

/** Spends the minute of a free key in a few seconds. */
const GRANTED_PAUSE_MS = 60;
/** With fewer than 60 refusals in a minute, the key is not banned. */
const REFUSED_PAUSE_MS = 1_500;
/** Counts are stored once a second; a busy machine may be late. */
const FORGOTTEN_MS = 4_000;

/** Starts to spend the limit of a key, `perMinute`. */
export function startLimitProbe(client: Client, perMinute: number): LimitProbe {
  const granted: Granted[] = [];
  const forgotten: { readonly from: number; readonly to: number }[] = [];
  let over = false;

  async function spend(): Promise<void> {
    while (!over) {
      const response = await client.get('/v1/pets?limit=1').catch(() => undefined);
      if (response?.status === 200) note(response);
      await Bun.sleep(response?.status === 429 ? REFUSED_PAUSE_MS : GRANTED_PAUSE_MS);
    }
  }

  function note({ headers }: ClientResponse): void {
    granted.push({ minute: headers.get('x-ratelimit-reset') ?? '', at: performance.now() });
  }

  function beyond(counted: readonly Granted[]): number {
    const minutes = Map.groupBy(counted, ({ minute }) => minute).values();
    return minutes.reduce((sum, { length }) => sum + Math.max(0, length - perMinute), 0);
  }

  const isForgotten = ({ at }: Granted) => forgotten.some(({ from, to }) => at > from && at <= to);
  const spending = spend();

  return {
    noteForgotten(killedAt) {
      forgotten.push({ from: killedAt - FORGOTTEN_MS, to: performance.now() });
    },
    async end() {
      over = true;
      await spending;
      return {
        granted: granted.length,
        beyond: beyond(granted),
        beyondPromise: beyond(granted.filter((one) => !isForgotten(one))),
      };
    },
  };
}
