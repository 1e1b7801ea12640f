import type { RequestLog } from './log.ts';

const FAULTS_FROM = 500;

/**
 * Returns a log that writes each request with the probability `share` and adds it to the line, so
 * that counts can be scaled. A request that failed through our fault is always logged.
 */
export function sampleRequests(log: RequestLog, share: number, random = Math.random): RequestLog {
  if (share === 1) return log;
  return {
    fault: log.fault,
    refusal: log.refusal,
    request(record) {
      if (record.status >= FAULTS_FROM) log.request(record);
      else if (random() < share) log.request({ ...record, sample: share });
    },
  };
}
