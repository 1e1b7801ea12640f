import type { Scenario } from '../scenarios.ts';
import type { RunningServer } from '../workbench.ts';

/** One of those that are compared, up and answering. */
export interface Contender {
  readonly name: string;
  readonly server: RunningServer;
  /** Whether a body is right: what the animals are, or the constant that it was told. */
  readonly isRight: Scenario['isRight'];
  /** The database that each answered addition must be found in, where there is one. */
  readonly database?: string;
}
