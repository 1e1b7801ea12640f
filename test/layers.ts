import { join } from 'node:path';

/** Tests that need the same programs, or take long for the same reason. */
export interface Layer {
  /** Patterns of the files that are in no other layer. */
  readonly files: readonly string[];
  /** Patterns of files of other layers that run here again. */
  readonly again?: readonly string[];
  /** Variables that choose what the files run on. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Every layer but `quick`, which has all other files and needs no program besides Node and npm. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  // PostgreSQL, Valkey or Redis, PgBouncer, openssl and promtool. A test runs here again if what it asserts depends on records, or on
  // counts of limits, that the service wrote or read. What is decided by the request alone is in `test/api/requests`, which
  // does not run again; each operation runs on PostgreSQL with every status in `every-response.test.ts`.
  postgres: {
    files: [
      'test/api/pipeline/shared-limits.test.ts',
      'test/cli/keys-list-shared.test.ts',
      'test/doctor/{limits,postgres,tls}.test.ts',
      'test/e2e/{executable,move}.test.ts',
      'test/examples/{failing-alerts,failing-storage-alerts,pgbouncer}.test.ts',
      'test/limits/valkey*.test.ts',
      'test/storage/postgres*.test.ts',
      'test/world/flipped-pages.test.ts',
      'test/transfer/{backup,hold,move,move-faults,point-in-time,sessions,unnumbered-changes}.test.ts',
    ],
    again: [
      'test/adopt/{pages,programs}.test.ts',
      'test/api/*.test.ts',
      'test/api/{cache,contract,people,pipeline,resources,session}/**',
      'test/channels/{sending,cuts,photos,secrets}.test.ts',
      'test/cli/{compact,wrong-folder}.test.ts',
      'test/backups/{faults,schedule}.test.ts',
      'test/contract/every-response.test.ts',
      'test/doctor/{fenced,webhooks}.test.ts',
      'test/e2e/{backup,upgrade}.test.ts',
      'test/events/mirror.test.ts',
      'test/server/year.test.ts',
      'test/storage/conformance/**',
      'test/storage/older-database.test.ts',
      'test/transfer/{restore-force,tables}.test.ts',
      'test/usage/**',
      'test/world/{charged,clocks,releases,restore,damage,readiness,servers}.test.ts',
      'test/webhooks/{deliveries,encrypt-stored,webhook-runs}.test.ts',
      'test/world/{failing-event-type,hostile-input,links}.test.ts',
    ],
    variables: { PETSTORE_TEST_ENGINE: 'postgres', PETSTORE_TEST_LIMITS: 'valkey' },
  },
  // Chromium, and Deno for the client.
  browser: {
    files: [
      'test/client/runtimes.test.ts',
      'test/console/**',
      'test/adopt/browser.test.ts',
      'test/adopt/families.test.ts',
      'test/e2e/docs*.test.ts',
      'test/examples/{plain,shelter}-page.test.ts',
      'test/world/widths.test.ts',
    ],
  },
  // Each step is a process. Chromium, Deno, Python with requests, openssl, systemd, strace, promtool; Go for a server of S3 and Litestream.
  commands: {
    files: [
      'test/bench/load.test.ts',
      'test/client/{package,python}.test.ts',
      'test/docs/{commands,followers,guide*,importing,night,retries}.test.ts',
      'test/e2e/{backup,cached-reads,demo,descriptors,full-output}.test.ts',
      'test/e2e/{import*,package}.test.ts',
      'test/e2e/{reader-gone,slow-readers,system-calls,tls,upgrade}.test.ts',

      'test/world/alerts.test.ts',
      'test/examples/{alerts,litestream,pack,service-files,workflows}.test.ts',
      'test/server/{certificate,listener,service-manager}.test.ts',
      'test/{backups,photos}/bucket.test.ts',
      'test/site/samples.test.ts',
      'test/webhooks/client-tls.test.ts',
    ],
  },
  // Kills, full disks, slow and hostile clients. strace, and root for the disks.
  faults: {
    files: [
      'test/api/{imports-interrupted,move}.test.ts',
      'test/api/requests/slow-clients.test.ts',
      'test/cli/compact.test.ts',
      'test/backups/faults.test.ts',
      'test/doctor/full-disk.test.ts',
      'test/e2e/{crash,crash-disk,kill-after-commit}.test.ts',
      'test/events/mirror.test.ts',
      'test/fuzz/{fuzz,parsers}.test.ts',
      'test/world/flipped-bytes.test.ts',
      'test/channels/{sending,cuts,photos,secrets}.test.ts',
      'test/storage/{full-disk,older-database}.test.ts',
      'test/usage/usage.test.ts',
      'test/webhooks/webhook-runs.test.ts',
      'test/world/hostile-input.test.ts',
    ],
  },
  // Several instances on PostgreSQL and Valkey, behind HAProxy and nginx.
  cluster: { files: ['test/cluster/**', 'test/world/proxies.test.ts'] },
  // The same responses without the response cache.
  'no-cache': {
    files: [],
    again: ['test/api/resources/**', 'test/model/**'],
    variables: { PETSTORE_TEST_CACHE: 'off' },
  },
};

const ROOT = join(import.meta.dir, '..');

/** All test files, by their path from the root of the repository. */
export function testFiles(): string[] {
  return [...new Bun.Glob('test/**/*.test.ts').scanSync(ROOT)].sort();
}

export function matches(patterns: readonly string[], file: string): boolean {
  return patterns.some((pattern) => new Bun.Glob(pattern).match(file));
}

/** The layers that these test files belong to, by name. Each belongs to exactly one. */
export function layersOf(file: string): string[] {
  const found = Object.entries(LAYERS).filter(([, { files }]) => matches(files, file));
  return found.length === 0 ? ['quick'] : found.map(([name]) => name);
}

/** Which of these files a layer runs. */
export function filesOf(layer: string, files: readonly string[]): string[] {
  const again = LAYERS[layer]?.again ?? [];
  return files.filter((file) => layersOf(file).includes(layer) || matches(again, file));
}
