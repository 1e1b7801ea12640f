import { SQL } from 'bun';
import { Failure, unavailable } from '../../domain/failure.ts';

/** The connection is gone, or is of no use any more. */
const LOST = /^(?:08|57P0[1-5])/;
/** Two transactions stood in each other's way, and this one lost: it may succeed another time. */
const LOST_RACE = /^(?:40001|40P01|23505)$/;
/**
 * The database cannot serve now, whatever was asked of it: a login or a database that is gone, a
 * standby that takes no writes, a deadlock, no room, a lock or an answer that took too long, an
 * error of the system or of the disk.
 */
const OUT_OF_SERVICE = /^(?:08|28|3D000|25006|40|53|55P03|57|58|XX00[12])/;

/** The SQLSTATE with which PostgreSQL refused; undefined where no server answered. */
function stateOf(error: SQL.PostgresError): string | undefined {
  return error.errno;
}

/** Whether the connection ended, and with it what was under way on it. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false;
  const state = stateOf(error);
  return state === undefined || LOST.test(state);
}

/**
 * Whether the server takes no writes: a standby, or a primary that was put down. A new connection
 * may lead to the one that has taken its place.
 */
export function isReadOnly(error: unknown): boolean {
  return error instanceof SQL.PostgresError && stateOf(error) === '25006';
}

/** Another transaction came first, as only the statements of this one could tell. */
export class LostRace extends Error {}

/** A database that cannot be had now, since others have it; the message says which. */
export class InUse extends Error {}

/** Whether a transaction that failed may go through when it is run again. */
export function isLostRace(error: unknown): boolean {
  if (error instanceof LostRace) return true;
  return error instanceof SQL.PostgresError && LOST_RACE.test(stateOf(error) ?? '');
}

/** Whether a lock was not to be had in time. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof SQL.PostgresError && stateOf(error) === '55P03';
}

/** What is thrown for an error: `unavailable` for a database that is out of service. */
export function failureOf(error: unknown): unknown {
  if (error instanceof LostRace) return unavailable(error);
  if (!(error instanceof SQL.PostgresError)) return error;
  return isLost(error) || OUT_OF_SERVICE.test(stateOf(error) ?? '') ? unavailable(error) : error;
}

/**
 * The failure of a change whose commit was not answered: it is on disk or it is not, and nobody
 * here can tell.
 */
export function inDoubt(cause: unknown): Failure {
  const { details } = unavailable(cause);
  return new Failure(
    'service_unavailable',
    'The service lost its database while that confirmed the change, which may have been made; ' +
      'look before you try again, or use an Idempotency-Key.',
    details,
  );
}
