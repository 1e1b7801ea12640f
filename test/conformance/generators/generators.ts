import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_QUICKLY } from '../../support/go-program.ts';
import type { ConformanceSuite, SuiteContext } from '../suite.ts';
import { mustRun } from '../tools.ts';
import { folderFor, variables } from './folder.ts';
import { expectPrinted, generate, guideCommand } from './guide-command.ts';
import { JAR_VERSION } from './jar.ts';
import { expectRow } from './table.ts';
import { heyApi, modelTools, openapiTypescript, orval, typescriptFetch } from './typescript.ts';

const HERE = import.meta.dir;

/** A generator for Go: `module` is where it comes from, and `printed` a file of its folder that the guide prints. */
function go(generator: string, module: string, printed?: string): ConformanceSuite['check'] {
  return async (context) => {
    const folder = await folderFor(generator, context);
    cpSync(join(HERE, generator), folder, { recursive: true });
    mkdirSync(join(folder, 'petstore'));
    if (printed !== undefined) await expectPrinted(join(HERE, generator, printed));
    // An older Go gets the one that the generator needs.
    const settings = { GOTOOLCHAIN: 'auto', ...BUILT_QUICKLY, ...variables(context, folder) };
    const run = (...command: readonly string[]) => mustRun(['go', ...command], folder, settings);
    await generate(generator, context.tools, folder, settings);
    // What ogen makes has a statement that is never reached, so only the program is vetted.
    await run('build', './...');
    await run('vet', '.');
    const output = await run('run', '.');
    const modules = await run('list', '-m', module);
    return await expectRow(generator, modules.trim().split(' v')[1] ?? '', output);
  };
}

const oapiCodegen = go(
  'oapi-codegen',
  'github.com/oapi-codegen/oapi-codegen/v2',
  'oapi-codegen.yaml',
);
const ogen = go('ogen', 'github.com/ogen-go/ogen');

async function openapiPythonClient(context: SuiteContext): Promise<string> {
  const { tools } = context;
  const folder = await folderFor('openapi-python-client', context);
  // The generator formats its output with a program from the path.
  const PATH = `${tools.python('.')}:${process.env['PATH']}`;
  await generate('openapi-python-client', tools, folder, { PATH });
  cpSync(join(HERE, 'programs/facts.py'), join(folder, 'facts.py'));
  // The client itself does not pass the strict checks: its `__exit__` takes `*args: Any`.
  const strict = ['--strict', '--follow-imports=silent', '--implicit-reexport'];
  await mustRun([tools.python('mypy'), ...strict, 'facts.py'], folder);
  const python = [tools.python('python'), 'facts.py'];
  const output = await mustRun(python, folder, variables(context, folder));
  const version = await mustRun([tools.python('openapi-python-client'), '--version'], folder);
  return await expectRow('openapi-python-client', version.trim().split(' ').at(-1) ?? '', output);
}

/** openapi-generator for a language: what it makes, with the files of the folder of that name, is run. */
function jar(
  language: string,
  run: (context: SuiteContext) => readonly (readonly string[])[],
): ConformanceSuite['check'] {
  const generator = `openapi-generator (${language})`;
  return async (context) => {
    const folder = await folderFor(`openapi-generator-${language}`, context);
    await generate(generator, context.tools, folder);
    const client = join(folder, 'petstore');
    cpSync(join(HERE, language), client, { recursive: true });
    let output = '';
    for (const command of run(context)) {
      output = await mustRun(command, client, variables(context, folder));
    }
    return await expectRow(generator, JAR_VERSION, output);
  };
}

const pythonOfJar = jar('python', ({ tools }) => [[tools.python('python'), 'check.py']]);
const php = jar('php', () => [['php', 'check.php']]);

const MAVEN = ['mvn', '--quiet', '--batch-mode'] as const;
const java = jar('java', () => [
  ['mkdir', '-p', 'src/main/java'],
  ['mv', 'Check.java', 'src/main/java/'],
  [...MAVEN, '-DskipTests', 'compile'],
  [...MAVEN, 'org.codehaus.mojo:exec-maven-plugin:3.5.1:java', '-Dexec.mainClass=Check'],
]);
const kotlin = jar('kotlin', () => [
  // A daemon would go on after the suite.
  [...MAVEN, '-Dkotlin.compiler.daemon=false', 'compile'],
  [...MAVEN, 'exec:java'],
]);

/** Builds and runs the program in a folder. The crates of both are built in one folder, since they are nearly the same. */
async function runCargo(folder: string, context: SuiteContext): Promise<string> {
  const CARGO_TARGET_DIR = join(context.tools.work, '../cargo');
  const settings = { CARGO_TARGET_DIR, ...variables(context, folder) };
  return await mustRun(['cargo', 'run', '--quiet'], folder, settings);
}

async function rustOfJar(context: SuiteContext): Promise<string> {
  const generator = 'openapi-generator (rust)';
  const folder = await folderFor('openapi-generator-rust', context);
  await generate(generator, context.tools, folder);
  cpSync(join(HERE, 'rust'), folder, { recursive: true });
  return await expectRow(generator, JAR_VERSION, await runCargo(folder, context));
}

async function progenitor(context: SuiteContext): Promise<string> {
  const folder = await folderFor('progenitor', context);
  cpSync(join(HERE, 'progenitor'), folder, { recursive: true });
  const program = await Bun.file(join(folder, 'src/main.rs')).text();
  const [command = ''] = (await guideCommand('progenitor')).split(';');
  if (!program.includes(command)) throw new Error(`the program does not have ${command}`);
  const output = await runCargo(folder, context);
  const found = await mustRun(['cargo', 'pkgid', 'progenitor'], folder);
  return await expectRow('progenitor', found.trim().split('@')[1] ?? '', output);
}

const without = (program: string, advice: string) =>
  Bun.which(program) === null ? `${program} is not installed (${advice})` : undefined;
const NO_JAVA = without('java', 'apt-get install default-jre-headless');
const NO_GO = without('go', 'Go 1.21 or later');
const NO_PHP = NO_JAVA ?? without('php', 'apt-get install php-cli php-curl php-guzzlehttp-guzzle');
const NO_MAVEN = without('mvn', 'apt-get install default-jdk-headless maven');
const NO_CARGO = without('cargo', 'Rust 1.88 or later');

const name = (generator: string) => `generated clients: ${generator}`;

/** Generators of clients, whose results are in the tables of the guide `generated-clients.md`. */
export const generators: readonly ConformanceSuite[] = [
  { name: name('openapi-typescript'), check: openapiTypescript },
  { name: name('hey-api'), check: heyApi },
  { name: name('orval'), check: orval },
  { name: name('openapi-generator typescript'), missing: NO_JAVA, check: typescriptFetch },
  { name: name('openapi-generator python'), missing: NO_JAVA, check: pythonOfJar },
  { name: name('openapi-generator php'), missing: NO_PHP, check: php },
  { name: name('openapi-generator java'), missing: NO_MAVEN, apart: true, check: java },
  { name: name('openapi-generator kotlin'), missing: NO_MAVEN, apart: true, check: kotlin },
  { name: name('openapi-generator rust'), missing: NO_CARGO, apart: true, check: rustOfJar },
  { name: name('progenitor'), missing: NO_CARGO, apart: true, check: progenitor },
  { name: name('oapi-codegen'), missing: NO_GO, check: oapiCodegen },
  { name: name('ogen'), missing: NO_GO, apart: true, check: ogen },
  { name: name('openapi-python-client'), check: openapiPythonClient },
  { name: 'tools for models: @samchon/openapi', check: modelTools },
];
