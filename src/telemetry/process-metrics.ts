import { readdirSync } from 'node:fs';
import type { Labels, Metric } from './exposition.ts';

const MICROSECONDS = 1_000_000;

/** What this process uses, under the names that all Prometheus clients use. */
export function processMetrics(build: Labels): readonly Metric[] {
  const startedAt = Date.now() / 1_000 - process.uptime();
  return [
    {
      name: 'petstore_build_info',
      help: 'Always 1; the labels say which release this is and what it runs on.',
      type: 'gauge',
      samples: () => [[build, 1]],
    },
    {
      name: 'process_start_time_seconds',
      help: 'When the process was started, in seconds since the Unix epoch.',
      type: 'gauge',
      samples: () => [[{}, startedAt]],
    },
    {
      name: 'process_cpu_seconds_total',
      help: 'CPU time that the process has used, all threads together.',
      type: 'counter',
      samples() {
        const { user, system } = process.cpuUsage();
        return [[{}, (user + system) / MICROSECONDS]];
      },
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Memory of the process that is in RAM.',
      type: 'gauge',
      samples: () => [[{}, process.memoryUsage.rss()]],
    },
    {
      name: 'petstore_heap_used_bytes',
      help: 'Memory that values of the program use, garbage included.',
      type: 'gauge',
      samples: () => [[{}, process.memoryUsage().heapUsed]],
    },
    {
      name: 'process_open_fds',
      help: 'Open files and connections; told on Linux.',
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
