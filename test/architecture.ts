import { dirname, join } from 'node:path';

/** Sources by their path from the root of the repository: `src/domain/pet.ts`. */
export type Sources = ReadonlyMap<string, string>;

const LINES_MAX = 300;
const SOURCE_MEDIAN_MAX = 110;
/** Names that say nothing about the content, so that anything ends up there. */
const CATCH_ALL = /^(?:utils?|helpers?|libs?|commons?|misc)$/i;

const PROTOCOL = ['http/', 'domain/'];

/** The allowed imports of each part, as path prefixes from `src/`. The first match applies. */
export const IMPORT_TABLE: readonly (readonly [part: string, mayImport: readonly string[]])[] = [
  ['domain/', ['domain/']],
  [
    'http/',
    [
      ...[
        'http/',
        'domain/clock.ts',
        'domain/failure.ts',
        'domain/fair-places.ts',
        'domain/int64.ts',
        'domain/network-list.ts',
      ],
      'domain/upload.ts',
    ],
  ],
  ['auth/', ['auth/', ...PROTOCOL]],
  ['limits/', ['limits/', 'domain/']],
  ['storage/sqlite/', ['storage/sqlite/', 'storage/*', 'storage/records/', 'domain/']],
  ['storage/postgres/', ['storage/postgres/', 'storage/*', 'storage/records/', 'domain/']],
  ['storage/', ['storage/', 'domain/']],
  ['api/contract/', ['api/contract/', ...PROTOCOL]],
  // The mapping of an import is parsed as the command does it.
  [
    'api/resources/',
    [
      ...['api/resources/', 'api/contract/', ...PROTOCOL],
      'import/mapping.ts',
      'adopt/search-words.ts',
    ],
  ],
  // The examples of failures are real responses of the pipeline.
  [
    'api/openapi/',
    [
      ...['api/openapi/', 'api/contract/', 'api/resources/operations.ts'],
      ...['api/pipeline/', 'auth/', 'site/site.ts', ...PROTOCOL],
    ],
  ],
  ['api/cache/', ['api/cache/', 'api/contract/', 'telemetry/metrics.ts', ...PROTOCOL]],
  [
    'api/pipeline/',
    [
      ...['api/pipeline/', 'api/contract/', 'api/cache/response-cache.ts', 'auth/'],
      ...['adopt/pages.ts', 'adopt/notices.ts'],
      ...['photos/drawings.ts', 'site/site.ts', 'telemetry/'],
      'mcp/',
      ...PROTOCOL,
    ],
  ],
  ['mcp/', ['mcp/', 'api/contract/', 'api/resources/', 'adopt/search-words.ts', ...PROTOCOL]],
  ['events/', ['events/', 'domain/']],
  ['jobs/', ['jobs/', 'events/watch.ts', 'domain/']],
  ['webhooks/', ['webhooks/', 'jobs/', 'events/watch.ts', 'domain/']],
  ['channels/', ['channels/', 'jobs/', 'webhooks/secrets.ts', 'domain/']],
  ['import/', ['import/', 'domain/', 'http/json.ts']],
  ['child/', ['child/']],
  ['photos/', ['photos/', 'child/', 'domain/']],
  [
    'backups/',
    ['backups/', 'child/', 'domain/', 'jobs/scheduler.ts', 'photos/bucket.ts', 'storage/'],
  ],
  ['mail/', ['mail/', 'jobs/', 'domain/']],
  ['site/site.ts', ['site/', ...PROTOCOL]],
  ['site/health.ts', ['site/', 'telemetry/', ...PROTOCOL]],
  ['site/', ['site/', 'http/', 'messages/']],
  ['messages/', ['messages/']],
  // The program in the browser knows the service by its public interface only.
  ['console/service.ts', ['console/', 'packages/client/src/index.ts']],
  // A file is shown as the service reads it.
  [
    'console/pages/import/',
    [
      ...['console/', 'import/', 'domain/import.ts', 'domain/name.ts', 'domain/profile.ts'],
      'domain/stay-types.ts',
    ],
  ],
  // The preview of the shop has the colours that visitors get.
  [
    'console/',
    [
      'console/',
      'messages/',
      'adopt/accent.ts',
      'domain/age.ts',
      'domain/profile.ts',
      ...['domain/question.ts', 'domain/shop.ts', 'domain/stay.ts'],
    ],
  ],
  // The pages are lists and animals of the interface, written as HTML.
  [
    'adopt/',
    [
      ...['adopt/', 'api/contract/', 'api/resources/listing-query.ts'],
      ...['api/resources/listings.ts', 'photos/drawings.ts', 'site/tokens.css', ...PROTOCOL],
    ],
  ],
  ['telemetry/', ['telemetry/', 'domain/']],
  // Errors show a wrong address without its password.
  [
    'settings/',
    [
      ...['settings/', 'domain/', 'limits/open.ts', 'photos/bucket.ts'],
      ...['storage/address.ts', 'telemetry/log.ts'],
    ],
  ],
  [
    'doctor/',
    [
      ...['doctor/', 'backups/', 'domain/', 'limits/', 'mail/send.ts', 'photos/bucket.ts'],
      'settings/',
      'storage/',
      ...['server/certificate.ts', 'server/start-problems.ts'],
    ],
  ],
  [
    'server/',
    [
      ...[
        'server/',
        'adopt/',
        'api/',
        'auth/',
        'backups/',
        'channels/',
        'domain/',
        'events/',
        'http/',
      ],
      ...['import/', 'jobs/', 'limits/'],
      ...['mail/', 'photos/', 'settings/', 'site/', 'storage/', 'telemetry/', 'webhooks/'],
    ],
  ],
  [
    'cli/',
    [
      ...['backups/missing-photos.ts', 'cli/', 'doctor/', 'domain/', 'import/'],
      ...['settings/', 'storage/'],
      ...['server/limiter.ts', 'server/server.ts', 'server/start-problems.ts'],
      ...['server/import-photos.ts', 'server/signals.ts', 'server/webhooks.ts'],
    ],
  ],
  ['main.ts', ['backups/', 'child/', 'cli/', 'photos/']],
];

const IMPORTS = [
  /^\s*(?:import|export)\b[^'";]*?\bfrom\s*['"](\.[^'"]+)['"]/gm,
  /^\s*import\s*['"](\.[^'"]+)['"]/gm,
  /\bimport\(\s*['"](\.[^'"]+)['"]/g,
];

const BROWSER_PACKAGES = /^(?:preact|preact\/hooks|@preact\/signals)$/;
/** Runs in the service and in the browser. */
const PACKAGES_OF_BOTH = /^uqr$/;
const PACKAGE_SOURCES = /^packages\/[^/]+\/src\//;
/** An import that is no relative path: of a package, or of the runtime. */
const PACKAGE_IMPORT = /^\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^.'"][^'"]*)['"]/gm;

/** The files that a file imports by relative paths, types included. */
export function importsOf(path: string, source: string): string[] {
  return IMPORTS.flatMap((pattern) =>
    [...source.matchAll(pattern)].map(([, target = '']) => join(dirname(path), target)),
  );
}

/** Returns whether a rule like `domain/`, `config.ts` or `storage/*` (no deeper) covers a path. */
function covers(rule: string, path: string): boolean {
  if (rule.endsWith('/*')) return dirname(path) === rule.slice(0, -2);
  return rule.endsWith('/') ? path.startsWith(rule) : path === rule;
}

/** Returns a message for each violation of the architecture's rules in these sources. */
export function violationsOf(sources: Sources): string[] {
  return [
    ...importViolations(sources),
    ...packageViolations(sources),
    ...consoleViolations(sources),
    ...importCycles(sources),
    ...nameViolations(sources),
    ...lengthViolations(sources),
    ...serveViolations(sources),
  ];
}

function importViolations(sources: Sources): string[] {
  const found: string[] = [];
  for (const [path, source] of sources) {
    if (!path.startsWith('src/')) continue;
    const inside = path.slice('src/'.length);
    const row = IMPORT_TABLE.find(([part]) => covers(part, inside));
    if (row === undefined) {
      found.push(`${path} is in no part of the import table`);
      continue;
    }
    for (const target of importsOf(path, source)) {
      // Bundled text, like the sample animals, may be outside src.
      if (!target.startsWith('src/') && !/\.[cm]?[jt]sx?$/.test(target)) continue;
      const allowed = row[1].some((rule) => covers(rule, target.replace(/^src\//, '')));
      const isInside = target.startsWith('src/') || target.startsWith('packages/');
      if (!allowed || !isInside) found.push(`${path} must not import ${target}`);
    }
  }
  return found;
}

/** The program in the browser may import these packages, and nothing else may. */
function consoleViolations(sources: Sources): string[] {
  const found: string[] = [];
  for (const [path, source] of sources) {
    if (!path.startsWith('src/')) continue;
    for (const [, name = ''] of source.matchAll(PACKAGE_IMPORT)) {
      if (PACKAGES_OF_BOTH.test(name)) continue;
      if (BROWSER_PACKAGES.test(name) !== path.startsWith('src/console/')) {
        found.push(`${path} must not import ${name}`);
      }
    }
  }
  return found;
}

/** The code of a package in `packages/` runs anywhere, so it imports only itself. */
function packageViolations(sources: Sources): string[] {
  const found: string[] = [];
  for (const [path, source] of sources) {
    const [folder] = PACKAGE_SOURCES.exec(path) ?? [];
    if (folder === undefined) continue;
    const targets = [
      ...importsOf(path, source),
      ...[...source.matchAll(PACKAGE_IMPORT)].map(([, name = '']) => name),
    ];
    for (const target of targets) {
      if (!target.startsWith(folder)) found.push(`${path} must not import ${target}`);
    }
  }
  return found;
}

function importCycles(sources: Sources): string[] {
  const found: string[] = [];
  const done = new Set<string>();

  function visit(path: string, trail: readonly string[]): void {
    const start = trail.indexOf(path);
    if (start >= 0) found.push(`import cycle: ${[...trail.slice(start), path].join(' → ')}`);
    if (start >= 0 || done.has(path)) return;
    for (const target of importsOf(path, sources.get(path) ?? '')) visit(target, [...trail, path]);
    done.add(path);
  }

  for (const path of sources.keys()) visit(path, []);
  return found;
}

function nameViolations(sources: Sources): string[] {
  return [...sources.keys()]
    .filter((path) => path.split(/[/.-]/).some((word) => CATCH_ALL.test(word)))
    .map((path) => `${path} has a name that says nothing about its content`);
}

function lineCount(source: string): number {
  return source.split('\n').length - (source.endsWith('\n') ? 1 : 0);
}

function lengthViolations(sources: Sources): string[] {
  const found: string[] = [];
  const ofSource: number[] = [];
  for (const [path, source] of sources) {
    const lines = lineCount(source);
    // A migration is one step, however many tables it makes.
    if (lines > LINES_MAX && !path.endsWith('.sql'))
      found.push(`${path} has ${lines} lines, more than ${LINES_MAX}`);
    if (path.startsWith('src/') && /\.tsx?$/.test(path)) ofSource.push(lines);
  }
  const median = ofSource.sort((a, b) => a - b)[Math.floor(ofSource.length / 2)] ?? 0;
  if (median > SOURCE_MEDIAN_MAX) {
    found.push(`the median file of src has ${median} lines, more than ${SOURCE_MEDIAN_MAX}`);
  }
  return found;
}

function serveViolations(sources: Sources): string[] {
  return [...sources]
    .filter(([path]) => path.startsWith('src/') && path !== 'src/server/listener.ts')
    .filter(([, source]) => /\bBun\.serve\(/.test(source))
    .map(([path]) => `${path} calls Bun.serve, which only src/server/listener.ts may do`);
}
