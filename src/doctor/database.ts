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

/** The finding for a schema at `version`. */
function schemaFinding(version: number, migrations: readonly Migration[]): Finding {
  const known = migrations.at(-1)?.version ?? 0;
  if (version === known) return good(`Its schema is up to date (version ${version}).`);
  if (version > known) {
    const found = `Its schema has version ${version}, but this release knows only ${known}.`;
    return bad(found, 'Use the release that migrated it, or a later one.');
  }
  const pending = migrations.filter((migration) => migration.version > version);
  const others =
    sharedFromAfter(pending) === undefined
      ? 'Servers of the earlier release can keep running meanwhile.'
      : 'Stop the servers of the earlier release first: they cannot share the new schema.';
  return advice(
    `Its schema has version ${version}; this release brings it to ${known}.`,
    `The next start, or \`petstore migrate\`, does that; back it up with the earlier release first. ${others}`,
  );
}

/** The finding for the deployment of a database, if it has one. */
function deploymentFindings(found: Environment | undefined, configured: Environment): Finding[] {
  if (found === undefined) return [];
  if (found === configured) return [good(`It belongs to the ${found} deployment.`)];
  const other = `It belongs to the ${found} deployment, and the settings are for ${configured}.`;
  const todo = `Use --environment ${found}, or choose another database for ${configured}.`;
  return [bad(other, todo)];
}

/** The finding for the fence of the database `name`. */
export function fenceFindings(name: string, fence: Fence | undefined): readonly Finding[] {
  if (fence === undefined) return [];
  const { found, todo } = fenceState(name, fence);
  return [bad(found, todo)];
}

/** The finding for a missing or empty database: only commands that create one work. */
export function noDatabaseFinding(name: string): Finding {
  return bad(
    `There is no Petstore database at ${name}.`,
    'Check --database or PETSTORE_DATABASE, and whether its disk is mounted; `petstore migrate` makes a new one.',
  );
}

/** A database of another program. */
export const FOREIGN = bad(
  'It is a database of another program.',
  'Choose another one; nothing of this one is touched.',
);

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

/** An inspected database of a service. */
interface Content {
  /** Runs a statement that both engines know. */
  read<Row>(statement: string): readonly Row[] | Promise<readonly Row[]>;
  /** The tables: one of an earlier release lacks some. */
  readonly tables: readonly string[];
  readonly version: number;
  readonly migrations: readonly Migration[];
  readonly lag?: NumberingLag;
}

const NEWEST = `SELECT coalesce((SELECT trusted_at FROM retention), (${NEWEST_RECORD})) AS at`;

/** The findings for a schema and what is in its tables. */
export async function contentFindings(
  { read, tables, version, migrations, lag }: Content,
  environment: Environment,
  secretKeys: readonly string[],
): Promise<Finding[]> {
  const log = tables.includes('changes') ? await read<LogFacts>(LOG_FACTS) : [];
  const newest = tables.includes('retention') ? await read<{ at: bigint | null }>(NEWEST) : [];
  const hasWebhooks = tables.includes('webhooks');
  const facts = hasWebhooks ? await read<WebhookFacts>(WEBHOOK_FACTS) : [];
  const marks = hasWebhooks ? await read<SecretMarks>(SECRET_MARKS) : [];
  const [deployed] = await read<{ environment: Environment }>('SELECT environment FROM deployment');
  const channels = tables.includes('channels') ? await read<ChannelFacts>(CHANNEL_FACTS) : [];
  const tasks = tables.includes('tasks') ? await read<TaskFacts>(TASK_FACTS) : [];
  return [
    schemaFinding(version, migrations),
    ...newest.flatMap(({ at }) => (at === null ? [] : [recordFinding(Number(at), Date.now())])),
    ...log.flatMap((each) => changeFindings(each, lag)),
    ...webhookFindings(facts, Date.now()),
    ...secretFindings(marks, secretKeys),
    ...channelFindings(channels, secretKeys),
    ...taskFindings(tasks, Date.now()),
    ...deploymentFindings(deployed?.environment, environment),
  ];
}

/** The findings for a change log, and for its numbering on an engine that numbers later. */
function changeFindings({ count, oldestAt }: LogFacts, lag?: NumberingLag): Finding[] {
  const kept = `${count.toLocaleString('en-US')} ${Number(count) === 1 ? 'event' : 'events'}`;
  // A damaged database may hold a time that no calendar has.
  const time = new Date(Number(oldestAt));
  const isTime = !Number.isNaN(time.getTime());
  const day = isTime ? time.toISOString().slice(0, 10) : `no valid time: ${oldestAt}`;
  const found = good(
    oldestAt === null ? 'It has no events yet.' : `It keeps ${kept}, the oldest of ${day}.`,
  );
  if (lag === undefined || lag.oldestMs <= LATE_MS) return [found];
  const seconds = Math.floor(lag.oldestMs / SECOND_MS).toLocaleString('en-US');
  const waiting = lag.waiting.toLocaleString('en-US');
  const late = `Changes wait for their ids, so that nobody learns of them: ${waiting}, the oldest for ${seconds} s.`;
  const todo =
    'If an instance runs, see in pg_stat_activity who holds the lock of change_numbering.';
  return [found, advice(late, todo)];
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

/** The findings for what the service does by itself: what fails, what is late, and when the others last succeeded. */
function taskFindings(tasks: readonly TaskFacts[], now: number): Finding[] {
  const area = findingsOf('tasks');
  const timeOf = (at: bigint | number) => `${recordedTime(Number(at))} UTC`;
  const told: string[] = [];
  const wrong = tasks.flatMap(({ name, failures, succeededAt, heartbeat, dueAt, ...task }) => {
    const success = succeededAt === null ? undefined : timeOf(succeededAt);
    if (Number(failures) > 0) {
      const times = Number(failures) === 1 ? 'once' : `${failures} times`;
      const since = success === undefined ? 'never succeeded' : `last succeeded ${success}`;
      const found = `The task ${name} failed ${times} on ${task.holder} (${task.problem}); it ${since}.`;
      return [area.advice(found, 'It is tried again; the log of that process says more.')];
    }
    if (Number(heartbeat) === 0 && dueAt !== null && now - Number(dueAt) > HOUR_MS) {
      const found = `The task ${name} was due ${timeOf(dueAt)}, and no process does it.`;
      return [area.advice(found, 'Start a server that has the settings for it.')];
    }
    told.push(`${name} ${success ?? 'never'}`);
    return [];
  });
  return told.length > 0 ? [...wrong, area.good(`Last successes: ${told.join('; ')}.`)] : wrong;
}
