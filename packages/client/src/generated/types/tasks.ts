// Made from openapi.json by `npm run openapi`.
/** What the service does by itself. */
export interface Tasks {
  /** In order of their names. */
  tasks: readonly Task[];
}

/** What the service does by itself. */
export interface Task {
  /** What it is, such as `backups`. */
  name: string;
  /** Whether a process does it now. */
  underWay: boolean;
  /** The process that did it last: its machine and number. */
  holder: string;
  /** When it last succeeded; null if it never has, in UTC. */
  succeededAt: string | null;
  /** When it is due next; null if that is not known, in UTC. */
  dueAt: string | null;
  /** The attempts that failed since it last succeeded. */
  failures: number;
  /** Why the last attempt failed; null after a success. */
  problem: string | null;
}
