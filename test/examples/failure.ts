import { eventually } from '../support/eventually.ts';
import { type StartOptions, startPetstore, type TestPetstore } from '../support/start.ts';
import { expectFiring } from './alert-rules.ts';
import { FAILING_MIN, followed, see, sumOf, WELL_MIN } from './seen-metrics.ts';

/** A failure of a service, which this many of its alerts must tell of. */
export interface Failure {
  readonly alerts: readonly string[];
  /** Of these metrics. Others depend on how busy the machine is. */
  readonly metrics: readonly string[];
  readonly options?: StartOptions;
  /** What a shop that is well has, or has done. */
  prepare?(petstore: TestPetstore): Promise<unknown>;
  fail(petstore: TestPetstore, ending: AsyncDisposableStack): Promise<unknown>;
  /** Whether the failure can be seen; by default it can at once. */
  isSeen?(sum: number): boolean;
  /** How often to wait the usual time for that. */
  readonly patience?: number;
}

/** Starts a service, lets it fail, and expects what the alerts say of both. */
export async function expectFailure(failure: Failure): Promise<void> {
  const { alerts, metrics, options, isSeen = () => true, patience = 1 } = failure;
  await using petstore = await startPetstore(options);
  await using ending = new AsyncDisposableStack();
  await failure.prepare?.(petstore);
  const now = () => see(petstore.metricsUrl, metrics);
  const well = await now();
  await expectFiring(followed(well, well), WELL_MIN + FAILING_MIN, []);
  await failure.fail(petstore, ending);
  const failing = await eventually(now, (seen) => isSeen(sumOf(seen)), patience);
  await expectFiring(followed(well, failing), WELL_MIN + FAILING_MIN, alerts);
}
