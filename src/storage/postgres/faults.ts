import { SQL } from 'bun';
import { diskFull, Failure, unavailable } from '../../domain/failure.ts';
import { LostRace } from '../statements.ts';

/** The connection is lost or useless. */
const LOST = /^(?:08|57P0[1-5])/;
/** This transaction lost against another one; it may succeed on the next try. */
const LOST_RACE = /^(?:40001|40P01|23505)$/;
/**
 * The database cannot serve now: a missing login or database, a read-only standby, a deadlock, no
 * space, a lock or statement that took too long, an error of the system or the disk.
 */
const DISK_FULL = '53100';
const OUT_OF_SERVICE = /^(?:08|28|3D000|25006|40|53|55P03|57|58|XX00[12])/;

/** Returns the SQLSTATE of an error, or undefined if no server responded. */
function stateOf(error: SQL.PostgresError): string | undefined {
  return error.errno;
}

/** Returns true when the connection was lost, and with it the work on it. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false;
  const state = stateOf(error);
  return state === undefined || LOST.test(state);
}

/**
 * Returns true for a read-only server: a standby, or a demoted primary. A new connection may reach
 * its successor.
 */
export function isReadOnly(error: unknown): boolean {
  return error instanceof SQL.PostgresError && stateOf(error) === '25006';
}

/** A database that others use at the moment; the message says who. */
export class InUse extends Error {}

/** A pooler gives the session of a connection to others; the message says what to do. */
export class SharedSession extends Error {
  constructor() {
    super(
      'a pooler in transaction mode is in between, and the service needs sessions of its own: ' +
        'set pool_mode = session for this database in PgBouncer, or name the PostgreSQL server itself',
    );
  }
}

/** Returns true when a failed transaction may succeed if it is run again. */
export function isLostRace(error: unknown): boolean {
  if (error instanceof LostRace) return true;
  return error instanceof SQL.PostgresError && LOST_RACE.test(stateOf(error) ?? '');
}

/** undefined_function or feature_not_supported: an engine that is not quite PostgreSQL. */
export function isMissingFunction(error: unknown): boolean {
  return error instanceof SQL.PostgresError && /^(?:42883|0A000)$/.test(stateOf(error) ?? '');
}

/** Returns true for a failure because the disk of the server is full. */
export function isDiskFull(error: unknown): boolean {
  const cause = error instanceof Failure ? error.details.cause : error;
  return cause instanceof SQL.PostgresError && stateOf(cause) === DISK_FULL;
}

/** lock_not_available. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof SQL.PostgresError && stateOf(error) === '55P03';
}

/** Returns the error to throw: `unavailable` if the database cannot serve now. */
export function failureOf(error: unknown): unknown {
  if (error instanceof LostRace) return unavailable(error);
  if (!(error instanceof SQL.PostgresError)) return error;
  if (stateOf(error) === DISK_FULL) return diskFull(error);
  return isLost(error) || OUT_OF_SERVICE.test(stateOf(error) ?? '') ? unavailable(error) : error;
}

/**
 * Returns the failure of a change whose commit was not acknowledged: it may or may not be on disk.
 */
export function inDoubt(cause: unknown): Failure {
  const { details } = unavailable(cause);
  return new Failure(
    'service_unavailable',
    'The database did not confirm the change, which may have been made. To find out, send the same ' +
      'request with the same Idempotency-Key; if it had none, look before you try again.',
    { ...details, inDoubt: true },
  );
}
