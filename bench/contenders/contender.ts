import type { Scenario } from '../scenarios.ts';
import type { RunningServer } from '../workbench.ts';

/** A database engine that works for a server, on the core of the load. */
export interface Engine {
  readonly name: string;
  /** How long it has kept processors busy since its start, all its processes together. */
  cpuMilliseconds(): number;
}

/** One of those that are compared, up and answering. */
export interface Contender {
  readonly name: string;
  readonly server: RunningServer;
  /** Whether a body is right: what the animals are, or the constant that it was told. */
  readonly isRight: Scenario['isRight'];
  /** The database that each answered addition must be found in, where there is one. */
  readonly database?: string;
  /** The Authorization field that it grants requests for, where it has keys of its own. */
  readonly authorization?: string;
  /** What works for it besides its own process. */
  readonly engines?: readonly Engine[];
}
