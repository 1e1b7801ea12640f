/** A database that a test has for itself, and ways to do to it what other programs do. */
export interface TestDatabase extends AsyncDisposable {
  /** As PETSTORE_DATABASE takes it. */
  readonly address: string;
  /** Runs a statement through a connection of its own; integers come back as `bigint`. */
  sql(statement: string): Promise<Record<string, unknown>[]>;
  /** Keeps others from writing until it is disposed of, as a long import would. */
  holdWrites(): Promise<AsyncDisposable>;
  /** Damages the database while it is in use, so that it can be neither read nor written. */
  destroy(): Promise<void>;
}

/** A database engine that the service runs on. */
export interface TestEngine {
  readonly name: string;
  createDatabase(): Promise<TestDatabase>;
}
