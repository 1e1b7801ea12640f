import { counter, createHistogram, type Histogram, histogram } from './exposition.ts';
import type { RequestLog, RequestRecord } from './log.ts';

/** In seconds: from a cached list to the longest that a client waits. */
const DURATIONS = [
  ...[0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05],
  ...[0.1, 0.25, 0.5, 1, 2.5],
];
/** The label of all requests without an operation, so that paths create no series. */
const NO_OPERATION = 'none';
const STATUS_END = 600;

/** The counts of one operation. */
interface OperationCounts {
  /** By status. */
  readonly answered: Float64Array;
  readonly durations: Histogram;
}

/** The counts of requests by operation. */
type RequestCounts = ReturnType<typeof createRequestCounts>;

/** Creates counts for the operations with these ids. */
export function createRequestCounts(operationIds: readonly string[]) {
  const none = createOperationCounts();
  const byOperation = new Map(operationIds.map((id) => [id, createOperationCounts()]));
  const all = () => [...byOperation, [NO_OPERATION, none] as const];

  function* answered() {
    for (const [operation, counts] of all()) {
      for (const [status, count] of counts.answered.entries()) {
        if (count > 0) yield [{ operation, status }, count] as const;
      }
    }
  }

  return {
    note({ operation, status, milliseconds }: RequestRecord): void {
      const counts = (operation === undefined ? none : byOperation.get(operation)) ?? none;
      counts.answered[status] = (counts.answered[status] ?? 0) + 1;
      counts.durations.observe(milliseconds / 1_000);
    },
    metrics: [
      counter(
        'petstore_http_requests_total',
        'Requests answered, by API operation (none: pages, health, unknown paths) and HTTP status.',
        answered,
      ),
      histogram(
        'petstore_http_request_duration_seconds',
        'Time from the head of a request to its response, by API operation.',
        () => all().map(([operation, { durations }]) => [{ operation }, durations]),
      ),
    ],
  };
}

function createOperationCounts(): OperationCounts {
  return { answered: new Float64Array(STATUS_END), durations: createHistogram(DURATIONS) };
}

/** Returns a log that also counts the requests. */
export function countRequests({ note }: RequestCounts, log: RequestLog): RequestLog {
  return {
    fault: log.fault,
    refusal: log.refusal,
    request(record) {
      note(record);
      log.request(record);
    },
  };
}
