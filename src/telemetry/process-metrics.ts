import { readdirSync, readFileSync } from 'node:fs';
import { counter, gauge, type Labels, type Metric, single } from './exposition.ts';

const MICROSECONDS = 1_000_000;

/** Resource use of this process, under the usual names of Prometheus clients. */
export function processMetrics(build: Labels): readonly Metric[] {
  const startedAt = Date.now() / 1_000 - process.uptime();
  return [
    gauge(
      'petstore_build_info',
      'Always 1; the labels identify the release and its platform.',
      () => [[build, 1]],
    ),
    gauge(
      'process_start_time_seconds',
      'Start time of the process, in seconds since the Unix epoch.',
      () => single(startedAt),
    ),
    counter('process_cpu_seconds_total', 'CPU time used by all threads of the process.', () => {
      const { user, system } = process.cpuUsage();
      return single((user + system) / MICROSECONDS);
    }),
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', () =>
      single(process.memoryUsage.rss()),
    ),
    gauge('petstore_heap_used_bytes', 'Heap memory in use, garbage included.', () =>
      single(process.memoryUsage().heapUsed),
    ),
    gauge('process_open_fds', 'Open files and connections (Linux only).', openFiles),
    gauge('process_max_fds', 'Files and connections that may be open (Linux only).', maxFiles),
  ];
}

function openFiles() {
  try {
    return single(readdirSync('/proc/self/fd').length);
  } catch {
    return [];
  }
}

/** Read each time: it can be changed while the process runs. No sample if there is no limit. */
function maxFiles() {
  try {
    const [, soft] =
      /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return single(soft === undefined ? undefined : Number(soft));
  } catch {
    return [];
  }
}
