import { createAcknowledgements } from '../../../support/acknowledgements.ts';
import type { Client, ClientResponse } from '../../../support/client.ts';
import type { TestDatabase } from '../../../support/test-database.ts';

/** An acknowledged addition. Its name is its Idempotency-Key too. */
interface Addition {
  readonly name: string;
  readonly text: string;
}

/** What the additions of one run came to. */
export interface AdditionCounts {
  readonly acknowledged: number;
  /** Acknowledged additions that are not in the database. */
  readonly lost: number;
  /** Additions that are in the database twice. */
  readonly doubled: number;
  /** Repeats with the same Idempotency-Key that got another response. */
  readonly changed: number;
}

/** Clients that add animals, each with an Idempotency-Key, and repeat what got no response. */
export interface Additions {
  readonly count: number;
  /** Resolves with the time at which an addition sent after this call is acknowledged. */
  nextAcknowledged(): Promise<number>;
  /** Failures other than a broken connection and `idempotency_in_progress`, by status. */
  readonly failures: ReadonlyMap<number, number>;
  /** Waits until every addition is acknowledged, and compares them with the database. */
  end(): Promise<AdditionCounts>;
}

const CLIENTS = 4;
const PAUSE_MS = 20;
/** Time in which an addition is acknowledged, whatever was killed. */
const PATIENCE_MS = 30_000;
/** Belongs to no other client of a test: see the rules in test/e2e/crash/audit.ts. */
const CATEGORY = -1;
let generations = 0;

/** Starts to add animals. */
export function startAdditions(client: Client, database: Pick<TestDatabase, 'sql'>): Additions {
  const generation = `${process.pid}-${++generations}`;
  const acknowledged: Addition[] = [];
  const failures = new Map<number, number>();
  const acknowledgements = createAcknowledgements();
  let over = false;

  async function add(name: string): Promise<void> {
    const sentAt = performance.now();
    for (;;) {
      const response = await send(name).catch(() => undefined);
      if (response?.status === 201) {
        acknowledged.push({ name, text: response.text });
        return acknowledgements.note(sentAt);
      }
      note(response);
      if (performance.now() - sentAt > PATIENCE_MS)
        throw new Error(`${name}: ${response?.text ?? 'no response'}`);
      await Bun.sleep(PAUSE_MS);
    }
  }

  function send(name: string): Promise<ClientResponse> {
    return client.post('/v1/pets', { name, categoryId: CATEGORY }, { 'idempotency-key': name });
  }

  function note(response: ClientResponse | undefined): void {
    if (response === undefined || response.text.includes('"idempotency_in_progress"')) return;
    failures.set(response.status, (failures.get(response.status) ?? 0) + 1);
  }

  async function addUntilOver(number: number): Promise<void> {
    for (let n = 0; !over; n++) await add(`addition-${generation}-${number}-${n}`);
  }
  async function isReplayed({ name, text }: Addition): Promise<boolean> {
    const again = await send(name);
    return again.text === text && again.headers.get('idempotent-replayed') === 'true';
  }

  const clients = Array.from({ length: CLIENTS }, (_, number) => addUntilOver(number));

  return {
    failures,
    get count() {
      return acknowledged.length;
    },
    nextAcknowledged: acknowledgements.next,
    async end() {
      over = true;
      await Promise.all(clients);
      const replayed = await Promise.all(acknowledged.map(isReplayed));
      const rows = await database.sql(
        `SELECT name, count(*) AS times FROM pets WHERE category_id = ${CATEGORY} GROUP BY name`,
      );
      const stored = new Set(rows.map(({ name }) => name));
      return {
        acknowledged: acknowledged.length,
        lost: acknowledged.filter(({ name }) => !stored.has(name)).length,
        doubled: rows.filter(({ times }) => Number(times) > 1).length,
        changed: replayed.filter((isSame) => !isSame).length,
      };
    },
  };
}
