import { readdirSync } from 'node:fs';
import type { Labels, Metric } from './exposition.ts';

const MICROSECONDS = 1_000_000;

/** Resource use of this process, under the usual names of Prometheus clients. */
export function processMetrics(build: Labels): readonly Metric[] {
  const startedAt = Date.now() / 1_000 - process.uptime();
  return [
    {
      name: 'petstore_build_info',
      help: 'Always 1; the labels identify the release and its platform.',
      type: 'gauge',
      samples: () => [[build, 1]],
    },
    {
      name: 'process_start_time_seconds',
      help: 'Start time of the process, in seconds since the Unix epoch.',
      type: 'gauge',
      samples: () => [[{}, startedAt]],
    },
    {
      name: 'process_cpu_seconds_total',
      help: 'CPU time used by all threads of the process.',
      type: 'counter',
      samples() {
        const { user, system } = process.cpuUsage();
        return [[{}, (user + system) / MICROSECONDS]];
      },
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Resident memory of the process.',
      type: 'gauge',
      samples: () => [[{}, process.memoryUsage.rss()]],
    },
    {
      name: 'petstore_heap_used_bytes',
      help: 'Heap memory in use, garbage included.',
      type: 'gauge',
      samples: () => [[{}, process.memoryUsage().heapUsed]],
    },
    {
      name: 'process_open_fds',
      help: 'Open files and connections (Linux only).',
      type: 'gauge',
      samples: openFiles,
    },
  ];
}

function openFiles(): [Labels, number][] {
  try {
    return [[{}, readdirSync('/proc/self/fd').length]];
  } catch {
    return [];
  }
}
