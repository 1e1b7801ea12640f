import { ALLOWANCE_COLUMNS } from './rows/allowance.ts';

/** The type of a column, in both engines: int64 or text. */
export type ColumnType = 'integer' | 'text';

/** A value as both engines read and write it. */
export type Cell = bigint | string | null;

/** The cells of a row in the order of the columns of its table. */
export type Row = readonly Cell[];

/** A table of the database, with the same columns in both engines. */
export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** The columns of its primary key: both engines sort by them in the same order. */
  readonly key: readonly string[];
  /** The database assigns the ids, each only once. */
  readonly givesIds: boolean;
}

/** The change log. */
export const CHANGES: Table = {
  name: 'changes',
  columns: {
    id: 'integer',
    type: 'text',
    at: 'integer',
    key_id: 'integer',
    record_id: 'integer',
    name: 'text',
    category_id: 'integer',
    status: 'text',
    pet_id: 'integer',
    placed_at: 'integer',
    updated_at: 'integer',
  },
  key: ['id'],
  givesIds: true,
};

/**
 * All tables that are copied, which excludes the one that names the deployment; each comes after those that it refers to. A
 * test compares the list with the schema of each engine, so that `move`, `backup` and `restore` copy
 * every new table and column.
 */
export const TABLES: readonly Table[] = [
  {
    name: 'categories',
    columns: { id: 'integer', name: 'text', name_folded: 'text' },
    key: ['id'],
    givesIds: true,
  },
  {
    name: 'pets',
    columns: {
      id: 'integer',
      name: 'text',
      name_folded: 'text',
      category_id: 'integer',
      status: 'text',
      external_id: 'text',
      first_status: 'text',
      added_at: 'integer',
      added_by: 'integer',
    },
    key: ['id'],
    givesIds: true,
  },
  {
    name: 'imported_rows',
    columns: { external_id: 'text', fingerprint: 'text' },
    key: ['external_id'],
    givesIds: false,
  },
  {
    name: 'imports',
    columns: {
      id: 'integer',
      key_id: 'integer',
      dry_run: 'integer',
      status: 'text',
      created_at: 'integer',
      ended_at: 'integer',
      row_counts: 'text',
      animal_counts: 'text',
      rejected_rows: 'text',
      failure: 'text',
      owner: 'text',
      lease_ends_at: 'integer',
      steps: 'integer',
    },
    key: ['id'],
    givesIds: true,
  },
  {
    name: 'status_changes',
    columns: {
      pet_id: 'integer',
      number: 'integer',
      status: 'text',
      changed_at: 'integer',
      key_id: 'integer',
    },
    key: ['pet_id', 'number'],
    givesIds: false,
  },
  {
    name: 'orders',
    columns: {
      id: 'integer',
      pet_id: 'integer',
      adopter: 'text',
      contact: 'text',
      note: 'text',
      status: 'text',
      placed_at: 'integer',
      updated_at: 'integer',
    },
    key: ['id'],
    givesIds: true,
  },
  {
    name: 'adoptions',
    columns: { week: 'integer', completed: 'integer' },
    key: ['week'],
    givesIds: false,
  },
  CHANGES,
  {
    name: 'api_keys',
    columns: {
      id: 'integer',
      hash: 'text',
      name: 'text',
      plan: 'text',
      per_minute: 'integer',
      per_day: 'integer',
      scopes: 'text',
      created_at: 'integer',
      expires_at: 'integer',
      last_used_at: 'integer',
      revoked_at: 'integer',
      unbanned_at: 'integer',
      lifetime: 'integer',
      predecessor_id: 'integer',
      family_id: 'integer',
    },
    key: ['id'],
    givesIds: true,
  },
  {
    name: 'allowances',
    columns: Object.fromEntries(ALLOWANCE_COLUMNS.map((column) => [column, 'integer'] as const)),
    key: ['key_id'],
    givesIds: false,
  },
  {
    name: 'usage_counts',
    columns: {
      key_id: 'integer',
      period: 'text',
      start: 'integer',
      requests: 'integer',
      refused: 'integer',
      errors: 'integer',
    },
    key: ['key_id', 'period', 'start'],
    givesIds: false,
  },
  {
    name: 'idempotent_results',
    columns: {
      key_id: 'integer',
      operation: 'text',
      idempotency_key: 'text',
      fingerprint: 'text',
      status: 'integer',
      body: 'text',
      headers: 'text',
      kept_at: 'integer',
    },
    key: ['key_id', 'operation', 'idempotency_key'],
    givesIds: false,
  },
  {
    name: 'webhooks',
    columns: {
      id: 'integer',
      url: 'text',
      types: 'text',
      description: 'text',
      disabled_reason: 'text',
      secret: 'text',
      old_secret: 'text',
      old_secret_until: 'integer',
      created_at: 'integer',
      last_success_at: 'integer',
      failing_since: 'integer',
      position: 'integer',
      revision: 'integer',
      deliverer_id: 'integer',
    },
    key: ['id'],
    givesIds: true,
  },
  {
    name: 'webhook_deliverers',
    columns: { id: 'integer', beat: 'integer' },
    key: ['id'],
    givesIds: true,
  },
  {
    name: 'deliveries',
    columns: {
      webhook_id: 'integer',
      event_id: 'integer',
      type: 'text',
      record: 'text',
      status: 'text',
      attempts: 'integer',
      response_status: 'integer',
      response_body: 'text',
      error: 'text',
      created_at: 'integer',
      next_attempt_at: 'integer',
      delivered_at: 'integer',
    },
    key: ['webhook_id', 'event_id'],
    givesIds: false,
  },
];

/**
 * Tables that are not copied. Nobody is signed in to a copy: its cookies are those of another address,
 * and a backup must not hold sessions that ended since.
 */
export const NOT_COPIED = ['sessions'] as const;

/** The columns of a table as an SQL list. */
export function columnList(table: Table): string {
  return Object.keys(table.columns).join(', ');
}

/** The cells of the primary key of a row. */
export function keyOfRow(table: Table, row: Row): Cell[] {
  const columns = Object.keys(table.columns);
  return table.key.map((column) => row[columns.indexOf(column)] ?? null);
}

/** The statement that reads the rows after a key; its parameters are that key, if any, and a limit. */
export function pageStatement(
  table: Table,
  fromTheStart: boolean,
  parameter: (n: number) => string,
): string {
  const parameters = table.key.map((_, i) => parameter(i + 1));
  const after = `WHERE (${table.key.join(', ')}) > (${parameters.join(', ')})`;
  const limit = parameter(fromTheStart ? 1 : table.key.length + 1);
  return `SELECT ${columnList(table)} FROM ${table.name} ${fromTheStart ? '' : after}
    ORDER BY ${table.key.join(', ')} LIMIT ${limit}`;
}
