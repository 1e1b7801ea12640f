/** What a process knows of the backups that are made while it serves. */
export interface BackupReport {
  /** Milliseconds between two backups. */
  readonly everyMs: number;
  /** The newest backup, by any process: when it was started, and its size. Undefined if none is known. */
  readonly newest: { readonly at: number; readonly bytes: number } | undefined;
  /** When damage was last looked for in the database, and how much was found. */
  readonly checked: { readonly at: number; readonly faults: number } | undefined;
  /** Attempts that failed since the start. */
  readonly failures: number;
}
