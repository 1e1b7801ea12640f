import {
  type AnimalCounts,
  type ImportClaim,
  type ImportRecord,
  type ImportState,
  type ImportStatus,
  INTERRUPTED,
  type NewImport,
  NO_ANIMALS,
  NO_ROWS,
} from '../../domain/import.ts';
import { bigintOrNull, numberOrNull } from './nullable.ts';

/** An import as a row. */
export interface ImportRow {
  readonly id: bigint;
  readonly key_id: bigint;
  readonly dry_run: bigint;
  readonly status: ImportStatus;
  readonly created_at: bigint;
  readonly ended_at: bigint | null;
  readonly row_counts: string;
  readonly animal_counts: string;
  readonly rejected_rows: string;
  readonly failure: string | null;
}

/** The columns of an `ImportRow`. */
export const IMPORT_COLUMNS =
  'id, key_id, dry_run, status, created_at, ended_at, row_counts, animal_counts, rejected_rows, failure';

/** The state of an import that a batch needs. */
export interface ProgressRow {
  readonly animal_counts: string;
  readonly steps: bigint;
}

/** The import in a row. The JSON is what `stateCells` and `newImportCells` wrote. */
export function importOf(row: ImportRow): ImportRecord {
  return {
    id: row.id,
    keyId: row.key_id,
    dryRun: row.dry_run === 1n,
    status: row.status,
    createdAt: Number(row.created_at),
    endedAt: numberOrNull(row.ended_at),
    rows: JSON.parse(row.row_counts),
    animals: JSON.parse(row.animal_counts),
    rejectedRows: JSON.parse(row.rejected_rows),
    failure: row.failure === null ? null : JSON.parse(row.failure),
  };
}

/** The counts of animals in a row, as `importBatch` or `newImportCells` wrote them. */
export function animalsOf({ animal_counts }: ProgressRow): AnimalCounts {
  return JSON.parse(animal_counts);
}

type Cell = string | bigint | null;

/** The columns of a new import. */
export const NEW_IMPORT_COLUMNS = [
  ...['key_id', 'dry_run', 'status', 'created_at', 'row_counts', 'animal_counts'],
  ...['rejected_rows', 'owner', 'lease_ends_at', 'steps'],
];

/** The values of `NEW_IMPORT_COLUMNS`. */
export function newImportCells(added: NewImport): Cell[] {
  const { keyId, dryRun, createdAt, owner, leaseEndsAt } = added;
  const counts = [JSON.stringify(NO_ROWS), JSON.stringify(NO_ANIMALS)];
  return [
    ...[keyId, dryRun ? 1n : 0n, 'queued', BigInt(createdAt), ...counts],
    ...['[]', owner, BigInt(leaseEndsAt), 0n],
  ];
}

/** The columns of a state and its lease. */
export const STATE_COLUMNS = [
  ...['status', 'ended_at', 'row_counts', 'rejected_rows', 'failure', 'lease_ends_at'],
];

/** The values of `STATE_COLUMNS`. */
export function stateCells(claim: ImportClaim, state: ImportState): Cell[] {
  const { status, endedAt, rows, rejectedRows, failure } = state;
  return [
    ...[status, bigintOrNull(endedAt)],
    ...[JSON.stringify(rows), JSON.stringify(rejectedRows)],
    ...[failure === null ? null : JSON.stringify(failure), BigInt(claim.leaseEndsAt)],
  ];
}

/** The failure of an import whose lease ended, as its column takes it. */
export const INTERRUPTED_CELL = JSON.stringify(INTERRUPTED);
