/** Names a server process in `pg_stat_activity`; no other process has the name, not even of another server. */
export const PROCESS_NAME = `pid || ' ' || extract(epoch FROM backend_start)`;

/** The name of the process that runs the statement; null if the engine does not tell. */
export const OWN_PROCESS = `(SELECT ${PROCESS_NAME} FROM pg_stat_activity WHERE pid = pg_backend_pid())`;

/** The names of all processes of the server. */
export const RUNNING_PROCESSES = `SELECT ${PROCESS_NAME} AS process FROM pg_stat_activity
  WHERE backend_start IS NOT NULL`;
