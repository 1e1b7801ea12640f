import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesOf, LAYERS, layersOf, testFiles } from './layers.ts';

/*
 * `bun test/run.ts LAYER [OPTION or FILE…]`: runs the tests of a layer, or of `all`, with Bun's test runner. A file may
 * be a folder, or any part of a path. Prints failures, then how many tests passed and failed. In CI, files that failed
 * run once more, one after the other: a failure counts only if it comes back, and the others are named.
 */

const BUN_TEST = [
  ...['test', '--timeout=60000', '--no-isolate'],
  ...['--timings=test/timings.json', '--only-failures', '--preload=./test/support/awake.ts'],
];
/** Files that run at once. Tests wait for timeouts, processes and commits, so more than there are processors. */
const AT_ONCE = `--parallel=${availableParallelism() + 2}`;
/** The most files that run again. More failures are no accident of a busy machine. */
const MOST_AGAIN = 5;
const ALL = ['quick', ...Object.keys(LAYERS)];

interface Outcome {
  readonly exitCode: number;
  readonly passed: number;
  readonly failed: number;
}

async function runTests(
  layer: string,
  files: readonly string[],
  more: readonly string[],
): Promise<Outcome> {
  const paths = files.map((file) => `./${file}`);
  const command = [process.execPath, ...BUN_TEST, ...more, ...options, ...paths];
  const env = {
    ...process.env,
    ...(process.stderr.isTTY && { FORCE_COLOR: '1' }),
    ...LAYERS[layer]?.variables,
  };
  const child = Bun.spawn(command, { env, stdio: ['ignore', 'inherit', 'pipe'] });
  let output = '';
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    process.stderr.write(chunk);
    output += chunk;
  }
  const count = (word: string) =>
    Number(new RegExp(`^ +(\\d+) ${word}$`, 'm').exec(Bun.stripANSI(output))?.[1] ?? 0);
  return { exitCode: await child.exited, passed: count('pass'), failed: count('fail') };
}

/** Returns the files with failures that a report in JUnit's form names; none without a report. */
function failedFiles(report: string): string[] {
  const suites = readFileSync(report, 'utf8').matchAll(/^ {2}<testsuite [^>]*>/gm);
  const attribute = (suite: string, name: string) => suite.match(` ${name}="([^"]*)"`)?.[1] ?? '';
  return [...suites].flatMap(([suite]) =>
    Number(attribute(suite, 'failures')) > 0 ? [attribute(suite, 'file')] : [],
  );
}

async function runLayer(layer: string, files: readonly string[]): Promise<Outcome> {
  if (!process.env['CI']) return runTests(layer, files, [AT_ONCE]);
  const folder = mkdtempSync(join(tmpdir(), 'petstore-tests-'));
  const report = join(folder, 'report.xml');
  try {
    const reported = [AT_ONCE, '--reporter=junit', `--reporter-outfile=${report}`];
    const first = await runTests(layer, files, reported);
    const again = first.failed > 0 ? failedFiles(report) : [];
    if (again.length === 0 || again.length > MOST_AGAIN) return first;
    console.log(`Once more, because they failed: ${again.join(' ')}`);
    const second = await runTests(layer, again, []);
    const steady = first.failed - second.failed;
    console.log(`${steady} of ${first.failed} failures did not come back.`);
    return { ...second, passed: first.passed + steady };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [layer = 'quick', ...args] = process.argv.slice(2);
/** An option of Bun's whose value is the next argument. */
const isNamed = (at: number) => ['-t', '--test-name-pattern'].includes(args[at] ?? '');
const isOption = (arg: string, at: number) => arg.startsWith('-') || isNamed(at - 1);
const options = args.filter(isOption);
const names = args.filter((arg, at) => !isOption(arg, at));
const files = testFiles().filter(
  (file) => names.length === 0 || names.some((name) => file.includes(name.replace(/^\.\//, ''))),
);

let exitCode = 0;
let passed = 0;
let failed = 0;
const layers = layer === 'all' ? ALL : [layer];
const chosen = layers.map((name) => ({ name, files: filesOf(name, files) }));
for (const each of chosen.filter(({ files }) => files.length > 0)) {
  const start = performance.now();
  const outcome = await runLayer(each.name, each.files);
  const seconds = ((performance.now() - start) / 1_000).toFixed(0);
  console.log(`${each.name}: ${outcome.passed} passed, ${outcome.failed} failed in ${seconds} s`);
  exitCode ||= outcome.exitCode;
  passed += outcome.passed;
  failed += outcome.failed;
}
if (chosen.every(({ files }) => files.length === 0)) {
  const elsewhere = [...new Set(files.flatMap(layersOf))].map((name) => `npm run test:${name}`);
  console.log(`No such test in ${layer}. ${elsewhere.join(', ')}`);
  exitCode = 1;
}
if (layers.length > 1) console.log(`${passed} passed, ${failed} failed`);
process.exitCode = exitCode;
