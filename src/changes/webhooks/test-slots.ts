import { Failure } from '../../domain/failure.ts';

/** Tests in progress at once in this process. Each holds a request for up to 15 seconds. */
const TESTS_MAX = 8;
/** After this time a test that is in progress has ended. */
const RETRY_SECONDS = 15;

/** The tests of webhooks that are in progress in this process: one for each webhook. */
export interface TestSlots {
  /** Throws `service_unavailable` if a test of this webhook cannot start now. */
  require(webhookId: bigint): void;
  /** Runs a test in a slot. Throws like `require`. */
  run<T>(webhookId: bigint, test: () => Promise<T>): Promise<T>;
}

/** Creates the slots of a process. */
export function createTestSlots(): TestSlots {
  const inProgress = new Set<bigint>();

  function require(webhookId: bigint): void {
    if (inProgress.has(webhookId)) {
      throw unavailable('A test of this webhook is in progress: try again when it has ended.');
    }
    if (inProgress.size >= TESTS_MAX) {
      throw unavailable(`${TESTS_MAX} tests are in progress: try again when one has ended.`);
    }
  }

  return {
    require,
    async run(webhookId, test) {
      require(webhookId);
      inProgress.add(webhookId);
      try {
        return await test();
      } finally {
        inProgress.delete(webhookId);
      }
    },
  };
}

function unavailable(message: string): Failure {
  return new Failure('service_unavailable', message, { retryAfterSeconds: RETRY_SECONDS });
}
