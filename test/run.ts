import { filesOf, LAYERS, layersOf, testFiles } from './layers.ts';

/*
 * `bun test/run.ts LAYER [OPTION or FILE…]`: runs the tests of a layer, or of `all`, with Bun's test runner. A file may
 * be a folder, or any part of a path. Prints failures, then how many tests passed and failed.
 */

const BUN_TEST = [
  ...['test', '--timeout=60000', '--parallel', '--no-isolate'],
  ...['--timings=test/timings.json', '--only-failures'],
];
const ALL = ['quick', ...Object.keys(LAYERS)];

interface Outcome {
  readonly exitCode: number;
  readonly passed: number;
  readonly failed: number;
}

async function runLayer(layer: string, files: readonly string[]): Promise<Outcome> {
  const command = [process.execPath, ...BUN_TEST, ...options, ...files.map((file) => `./${file}`)];
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
