// Made from openapi.json by `npm run openapi`.
/** An import of a file. */
export interface Import extends ImportSummary {
  /** The first 100 rejected rows. */
  rejectedRows: readonly RejectedRow[];
}

/** Why an import failed. */
export interface ImportFailure {
  /** Machine-readable reason. */
  code:
    | 'invalid_file'
    | 'interrupted'
    | 'key_revoked'
    | 'cancelled'
    | 'service_unavailable'
    | 'internal_error';
  /** Description for people, and what to do. */
  message: string;
}

/** A row of a file that cannot become an animal. */
export interface RejectedRow {
  /** Line it starts on. */
  line: number;
  /** Why it cannot become an animal. Quotes values of the row. */
  reason: string;
}

/** An import of a file, without its rejected rows. */
export interface ImportSummary {
  /** Unique identifier assigned by the service. */
  id: number;
  /**
   * `queued`: waits for its turn. `reading`: the file is checked, nothing is written yet.
   * `running`: animals are written. `completed` and `failed` are final.
   */
  status: 'queued' | 'reading' | 'running' | 'completed' | 'failed';
  /** Nothing is written: the counts say what would be. */
  dryRun: boolean;
  /** Id of the API key that started it. */
  keyId: number;
  /** When it was started, in UTC. */
  createdAt: string;
  /** When it ended, in UTC. */
  endedAt?: string | undefined;
  /** Rows read: while `reading` of the first pass, then again from 0. */
  read: number;
  /** All rows of the file. Absent until it has been read. */
  total?: number | undefined;
  /** Animals added. */
  created: number;
  /** Animals changed. */
  changed: number;
  /** Animals that match their row, or whose row is the same as in the last import. */
  unchanged: number;
  /** Animals left as they are, because an open adoption holds them. */
  held: number;
  /** Rows that the status map leaves out. */
  skipped: number;
  /** Rows that do not count, because a later one has the same external id. */
  repeated: number;
  /** Rows that cannot become animals. */
  rejected: number;
  failure?: ImportFailure | undefined;
}

/** Parameters of the call. */
export interface StartImportQuery {
  /** Write nothing: the counts say what would happen. */
  dryRun?: boolean | undefined;
  /** Let the file win over changes and removals since the last import. */
  overwrite?: boolean | undefined;
  /** Column with the names. By default `name`. */
  name?: string | undefined;
  /** Column with names of categories. New categories are created. */
  category?: string | undefined;
  /** Column with ids of categories, in place of `category`. By default `categoryId`. */
  categoryId?: string | undefined;
  /** Column with the status. By default `status`, if there is one. */
  status?: string | undefined;
  /**
   * What the values of the status become, for example `Adoption=sold,Died=skip,*=available`.
   * `skip` leaves a row out, `*` matches all other values. Without it, the status must be
   * `available`, `pending` or `sold`; empty means available.
   */
  statusMap?: string | undefined;
  /**
   * Column with the ids of your own system, so that you can import the file again. By default
   * `external_id`, if there is one.
   */
  externalId?: string | undefined;
  /**
   * Name for animals without one, with columns in braces, for example `Unnamed {Species}`. Without
   * it, their rows are rejected.
   */
  unnamed?: string | undefined;
}

/** What to list. */
export interface ListImportsQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /** By ascending `id`, the default, or `newest` first. */
  sort?: 'id' | 'newest' | undefined;
}
