import type { Scenario } from '../scenarios.ts';
import type { RunningServer } from '../workbench.ts';

/** Names of contenders, as the tables show them. */
export const OURS = 'ours';
export const NGINX = 'nginx, constant';
export const ON_ENGINES = 'ours on PostgreSQL and Valkey';
export const HONO = 'Hono on Bun';
export const RUST = 'Rust, axum';

/** A database engine behind a server, on the core of the load. */
export interface Engine {
  readonly name: string;
  /** Processor time since the start, of all its processes. */
  cpuMilliseconds(): number;
}

/** A running server that is compared. */
export interface Contender {
  readonly name: string;
  readonly server: RunningServer;
  /** What it is measured in. The check of the responses expects animals, or the constant it returns. */
  readonly scenarios: readonly Scenario[];
  /** The Authorization header that it accepts. */
  readonly authorization: string;
  /** Counts the animals in its database, which must include each acknowledged addition. */
  readonly countStored?: () => Promise<number>;
  /** A third-party server: if it fails, it is left out with the reason and the run continues. */
  readonly isPeer?: boolean;
  /** The database engines behind it. */
  readonly engines?: readonly Engine[];
}
