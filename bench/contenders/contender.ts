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
  /** What it is asked, and which bodies are right: the animals, or the constant it was told. */
  readonly scenario: Scenario;
  /** The Authorization field that it grants requests for. */
  readonly authorization: string;
  /** How many animals its database holds; each answered addition must be among them. */
  readonly countStored?: () => Promise<number>;
  /** A stranger's: where it fails, it is left out with the reason and the run goes on. */
  readonly isPeer?: boolean;
  /** What works for it besides its own process. */
  readonly engines?: readonly Engine[];
}
