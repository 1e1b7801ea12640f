/** A database for one test, with ways to act on it as other programs do. */
export interface TestDatabase extends AsyncDisposable {
  /** In the format of PETSTORE_DATABASE. */
  readonly address: string;
  /** Runs a statement on its own connection; integers are returned as `bigint`. */
  sql(statement: string): Promise<Record<string, unknown>[]>;
  /** Blocks other writers until it is disposed of, as a long import would. */
  holdWrites(): Promise<AsyncDisposable>;
  /** Damages the database while it is in use, so that it can be neither read nor written. */
  destroy(): Promise<void>;
}

/** A database engine that the service runs on. */
export interface TestEngine {
  readonly name: string;
  createDatabase(): Promise<TestDatabase>;
}
