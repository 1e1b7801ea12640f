import type { NumberingLag } from '../domain/change-log.ts';
import { SECOND_MS } from '../domain/clock.ts';
import type { Environment } from '../domain/deployment.ts';
import { type Fence, fenceState } from '../storage/fence.ts';
import { type Migration, sharedFromAfter } from '../storage/migrations.ts';
import { NEWEST_RECORD } from '../storage/records/retention.ts';
import { recordFinding } from './clock.ts';
import { advice, type Finding, failed, passed } from './finding.ts';
import { TASK_FACTS, type TaskFacts, taskFindings } from './tasks.ts';
import {
  SECRET_MARKS,
  type SecretMarks,
  secretFindings,
  WEBHOOK_FACTS,
  type WebhookFacts,
  webhookFindings,
} from './webhooks.ts';

/** The finding for a schema at `version`. */
function schemaFinding(version: number, migrations: readonly Migration[]): Finding {
  const known = migrations.at(-1)?.version ?? 0;
  if (version === known)
    return passed('database', `Its schema is up to date (version ${version}).`);
  if (version > known) {
    return failed(
      'database',
      `Its schema has version ${version}, but this release knows only ${known}.`,
      'Use the release that migrated it, or a later one.',
    );
  }
  const pending = migrations.filter((migration) => migration.version > version);
  const others =
    sharedFromAfter(pending) === undefined
      ? 'Servers of the earlier release can keep running meanwhile.'
      : 'Stop the servers of the earlier release first: they cannot share the new schema.';
  return advice(
    'database',
    `Its schema has version ${version}; this release brings it to ${known}.`,
    `The next start, or \`petstore migrate\`, does that; back it up with the earlier release first. ${others}`,
  );
}

/** The finding for the deployment of a database, if it has one. */
function deploymentFindings(found: Environment | undefined, configured: Environment): Finding[] {
  if (found === undefined) return [];
  if (found === configured) return [passed('database', `It belongs to the ${found} deployment.`)];
  return [
    failed(
      'database',
      `It belongs to the ${found} deployment, and the settings are for ${configured}.`,
      `Use --environment ${found}, or choose another database for ${configured}.`,
    ),
  ];
}

/** The finding for the fence of the database `name`. */
export function fenceFindings(name: string, fence: Fence | undefined): readonly Finding[] {
  if (fence === undefined) return [];
  const { found, todo } = fenceState(name, fence);
  return [failed('database', found, todo)];
}

/** The finding for a missing or empty database: only commands that create one work. */
export function noDatabaseFinding(name: string): Finding {
  return failed(
    'database',
    `There is no Petstore database at ${name}.`,
    'Check --database or PETSTORE_DATABASE, and whether its disk is mounted; `petstore migrate` makes a new one.',
  );
}

/** A database of another program. */
export function foreignDatabase(): Finding {
  const todo = 'Choose another one; nothing of this one is touched.';
  return failed('database', 'It is a database of another program.', todo);
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
  const tasks = tables.includes('tasks') ? await read<TaskFacts>(TASK_FACTS) : [];
  return [
    schemaFinding(version, migrations),
    ...newest.flatMap(({ at }) => (at === null ? [] : [recordFinding(Number(at), Date.now())])),
    ...log.flatMap((each) => changeFindings(each, lag)),
    ...webhookFindings(facts, Date.now()),
    ...secretFindings(marks, secretKeys),
    ...taskFindings(tasks, Date.now()),
    ...deploymentFindings(deployed?.environment, environment),
  ];
}

/** The findings for a change log, and for its numbering on an engine that numbers later. */
function changeFindings({ count, oldestAt }: LogFacts, lag?: NumberingLag): Finding[] {
  const kept = `${count.toLocaleString('en-US')} ${Number(count) === 1 ? 'event' : 'events'}`;
  const found = passed(
    'database',
    oldestAt === null
      ? 'It has no events yet.'
      : `It keeps ${kept}, the oldest of ${dayOf(oldestAt)}.`,
  );
  return lag !== undefined && lag.oldestMs > LATE_MS ? [found, late(lag)] : [found];
}

/** Returns the day of a time; a damaged database may hold one that no calendar has. */
function dayOf(at: bigint | number): string {
  const time = new Date(Number(at));
  return Number.isNaN(time.getTime()) ? `no valid time: ${at}` : time.toISOString().slice(0, 10);
}

function late({ waiting, oldestMs }: NumberingLag): Finding {
  const seconds = Math.floor(oldestMs / SECOND_MS).toLocaleString('en-US');
  return advice(
    'database',
    `Changes wait for their ids, so that nobody learns of them: ${waiting.toLocaleString('en-US')}, the oldest for ${seconds} s.`,
    'If an instance runs, see in pg_stat_activity who holds the lock of change_numbering.',
  );
}
