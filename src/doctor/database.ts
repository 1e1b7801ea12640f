import type { NumberingLag } from '../domain/change-log.ts';
import { HOUR_MS, SECOND_MS } from '../domain/clock.ts';
import type { Environment } from '../domain/deployment.ts';
import { type Fence, fenceState } from '../storage/fence.ts';
import { type Migration, sharedFromAfter } from '../storage/migrations.ts';
import { NEWEST_RECORD } from '../storage/records/retention.ts';
import { recordedTime, recordFinding } from './clock.ts';
import { type Finding, findingsOf } from './finding.ts';
import {
  CHANNEL_FACTS,
  type ChannelFacts,
  channelFindings,
  SECRET_MARKS,
  type SecretMarks,
  secretFindings,
  WEBHOOK_FACTS,
  type WebhookFacts,
  webhookFindings,
} from './webhooks.ts';

const { good, advice, bad } = findingsOf('database');

/** What the settings say about a database; `secretKeys` is `PETSTORE_SECRET_KEY`. */
export interface Expected {
  readonly environment: Environment;
  readonly secretKeys: readonly string[];
}

/** The finding for a missing or empty database: only commands that create one work. */
export const noDatabaseFinding = (name: string) =>
  bad(`There is no Petstore database at ${name}.
    → Check --database or PETSTORE_DATABASE, and whether its disk is mounted; \`petstore migrate\` makes a new one.`);

/** A database of another program. */
export const FOREIGN = bad(`It is a database of another program.
  → Choose another one; nothing of this one is touched.`);

/** An inspected database of a service. */
interface Content {
  /** Its address, without a password. */
  readonly name: string;
  /** Runs a statement that both engines know. */
  read<Row>(statement: string): readonly Row[] | Promise<readonly Row[]>;
  /** The tables: one of an earlier release lacks some. */
  readonly tables: readonly string[];
  readonly version: number;
  readonly migrations: readonly Migration[];
  readonly fence: Fence | undefined;
  /** Only on an engine that numbers changes later. */
  readonly lag?: NumberingLag;
}

const NEWEST = `SELECT coalesce((SELECT trusted_at FROM retention), (${NEWEST_RECORD})) AS at`;

/** The findings for a schema and what is in its tables. */
export async function* contentFindings(
  { name, read, tables, version, migrations, fence, lag }: Content,
  { environment, secretKeys }: Expected,
): AsyncGenerator<Finding> {
  const now = Date.now();
  const rowsOf = async <Row>(table: string, statement: string) =>
    tables.includes(table) ? await read<Row>(statement) : [];
  yield schemaFinding(version, migrations);
  for (const { at } of await rowsOf<{ at: bigint | null }>('retention', NEWEST)) {
    if (at !== null) yield recordFinding(Number(at), now);
  }
  for (const facts of await rowsOf<LogFacts>('changes', LOG_FACTS))
    yield* changeFindings(facts, lag);
  yield* webhookFindings(await rowsOf<WebhookFacts>('webhooks', WEBHOOK_FACTS), now);
  yield* secretFindings(await rowsOf<SecretMarks>('webhooks', SECRET_MARKS), secretKeys);
  yield* channelFindings(await rowsOf<ChannelFacts>('channels', CHANNEL_FACTS), secretKeys);
  yield* taskFindings(await rowsOf<TaskFacts>('tasks', TASK_FACTS), now);
  const deployments = await read<{ environment: Environment }>(
    'SELECT environment FROM deployment',
  );
  for (const { environment: found } of deployments.slice(0, 1)) {
    yield found === environment
      ? good(`It belongs to the ${found} deployment.`)
      : bad(`It belongs to the ${found} deployment, and the settings are for ${environment}.
          → Use --environment ${found}, or choose another database for ${environment}.`);
  }
  if (fence === undefined) return;
  const { found, todo } = fenceState(name, fence);
  yield bad(`${found}\n→ ${todo}`);
}

/** The finding for a schema at `version`. */
function schemaFinding(version: number, migrations: readonly Migration[]): Finding {
  const known = migrations.at(-1)?.version ?? 0;
  if (version === known) return good(`Its schema is up to date (version ${version}).`);
  if (version > known) {
    return bad(`Its schema has version ${version}, but this release knows only ${known}.
      → Use the release that migrated it, or a later one.`);
  }
  const pending = migrations.filter((migration) => migration.version > version);
  const others =
    sharedFromAfter(pending) === undefined
      ? 'Servers of the earlier release can keep running meanwhile.'
      : 'Stop the servers of the earlier release first: they cannot share the new schema.';
  return advice(`Its schema has version ${version}; this release brings it to ${known}.
    → The next start, or \`petstore migrate\`, does that; back it up with the earlier release first. ${others}`);
}

/** Changes normally get their ids within some milliseconds. */
const LATE_MS = 5 * SECOND_MS;

/** The change log of an inspected database. Engines return numbers or bigints. */
interface LogFacts {
  readonly count: bigint | number;
  /** The time of the oldest event; null if there is none. */
  readonly oldestAt: bigint | number | null;
}

const LOG_FACTS = `SELECT count(*) AS count,
  (SELECT at FROM changes ORDER BY id LIMIT 1) AS "oldestAt" FROM changes`;

/** The findings for a change log, and for its numbering on an engine that numbers later. */
function* changeFindings({ count, oldestAt }: LogFacts, lag?: NumberingLag): Generator<Finding> {
  const kept = `${count.toLocaleString('en-US')} ${Number(count) === 1 ? 'event' : 'events'}`;
  // A damaged database may hold a time that no calendar has.
  const time = new Date(Number(oldestAt));
  const isTime = !Number.isNaN(time.getTime());
  const day = isTime ? time.toISOString().slice(0, 10) : `no valid time: ${oldestAt}`;
  yield good(
    oldestAt === null ? 'It has no events yet.' : `It keeps ${kept}, the oldest of ${day}.`,
  );
  if (lag === undefined || lag.oldestMs <= LATE_MS) return;
  const seconds = Math.floor(lag.oldestMs / SECOND_MS).toLocaleString('en-US');
  const waiting = lag.waiting.toLocaleString('en-US');
  yield advice(
    `Changes wait for their ids, so that nobody learns of them: ${waiting}, the oldest for ${seconds} s.
      → If an instance runs, see in pg_stat_activity who holds the lock of change_numbering.`,
  );
}

/** A task of the scheduler, in an inspected database. Engines return numbers or bigints. */
interface TaskFacts {
  readonly name: string;
  readonly holder: string;
  readonly heartbeat: bigint | number;
  readonly failures: bigint | number;
  readonly problem: string | null;
  /** Null if it never has. */
  readonly succeededAt: bigint | number | null;
  readonly dueAt: bigint | number | null;
}

const TASK_FACTS = `SELECT name, holder, heartbeat, failures, problem,
  succeeded_at AS "succeededAt", due_at AS "dueAt" FROM tasks ORDER BY name`;

/** The findings for tasks: which fail, which are late, and when the others last succeeded. */
function* taskFindings(tasks: readonly TaskFacts[], now: number): Generator<Finding> {
  const area = findingsOf('tasks');
  const timeOf = (at: bigint | number) => `${recordedTime(Number(at))} UTC`;
  const told: string[] = [];
  for (const { name, holder, problem, succeededAt, heartbeat, dueAt, ...task } of tasks) {
    const failures = Number(task.failures);
    const success = succeededAt === null ? undefined : timeOf(succeededAt);
    if (failures > 0) {
      const times = failures === 1 ? 'once' : `${failures} times`;
      const since = success === undefined ? 'never succeeded' : `last succeeded ${success}`;
      yield area.advice(`The task ${name} failed ${times} on ${holder} (${problem}); it ${since}.
        → It is tried again; the log of that process says more.`);
    } else if (Number(heartbeat) === 0 && dueAt !== null && now - Number(dueAt) > HOUR_MS) {
      yield area.advice(`The task ${name} was due ${timeOf(dueAt)}, and no process does it.
        → Start a server that has the settings for it.`);
    } else told.push(`${name} ${success ?? 'never'}`);
  }
  if (told.length > 0) yield area.good(`Last successes: ${told.join('; ')}.`);
}
