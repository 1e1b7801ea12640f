import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConformanceSuite, SuiteContext } from '../suite.ts';
import { mustRun } from '../tools.ts';
import { DOCUMENT, folderFor, variables } from './folder.ts';
import { JAR_VERSION, openapiGenerator } from './jar.ts';
import { expectRow } from './table.ts';
import { heyApi, modelTools, openapiTypescript, orval, typescriptFetch } from './typescript.ts';

const HERE = import.meta.dir;

/** A generator for Go: `generate` are the arguments of its tool, and `module` is where it comes from. */
function go(
  generator: string,
  module: string,
  generate: readonly string[],
): ConformanceSuite['check'] {
  return async (context) => {
    const folder = await folderFor(generator, context);
    cpSync(join(HERE, generator), folder, { recursive: true });
    mkdirSync(join(folder, 'petstore'));
    // An older Go gets the one that the generator needs.
    const run = (...command: readonly string[]) =>
      mustRun(['go', ...command], folder, { GOTOOLCHAIN: 'auto', ...variables(context, folder) });
    await run('tool', generator, ...generate, DOCUMENT);
    // What ogen makes has a statement that is never reached, so only the program is vetted.
    await run('build', './...');
    await run('vet', '.');
    const output = await run('run', '.');
    const modules = await run('list', '-m', module);
    return await expectRow(generator, modules.trim().split(' v')[1] ?? '', output);
  };
}

const oapiCodegen = go('oapi-codegen', 'github.com/oapi-codegen/oapi-codegen/v2', [
  '-config',
  'oapi-codegen.yaml',
]);
const ogen = go('ogen', 'github.com/ogen-go/ogen', [
  ...['--target', 'petstore', '--package', 'petstore', '--clean'],
]);

async function openapiPythonClient(context: SuiteContext): Promise<string> {
  const { tools } = context;
  const folder = await folderFor('openapi-python-client', context);
  // The generator formats its output with a program from the path.
  const PATH = `${tools.python('.')}:${process.env['PATH']}`;
  const to = ['--meta=none', `--path=${DOCUMENT}`, '--output-path=petstore_client'];
  await mustRun([tools.python('openapi-python-client'), 'generate', ...to], folder, { PATH });
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
  options: readonly string[],
  run: (folder: string, context: SuiteContext) => readonly (readonly string[])[],
): ConformanceSuite['check'] {
  return async (context) => {
    const folder = await folderFor(`openapi-generator-${language}`, context);
    await openapiGenerator(context.tools, folder, [language, ...options], '.');
    cpSync(join(HERE, language), folder, { recursive: true });
    let output = '';
    for (const command of run(folder, context)) {
      output = await mustRun(command, folder, variables(context, folder));
    }
    return await expectRow(`openapi-generator (${language})`, JAR_VERSION, output);
  };
}

const pythonOfJar = jar('python', [], (_, { tools }) => [[tools.python('python'), 'check.py']]);
const php = jar('php', [], () => [['php', 'check.php']]);

const MAVEN = ['mvn', '--quiet', '--batch-mode'] as const;
const java = jar('java', [], () => [
  ['mkdir', '-p', 'src/main/java'],
  ['mv', 'Check.java', 'src/main/java/'],
  [...MAVEN, '-DskipTests', 'compile'],
  [...MAVEN, 'org.codehaus.mojo:exec-maven-plugin:3.5.1:java', '-Dexec.mainClass=Check'],
]);
const kotlin = jar('kotlin', ['--library', 'jvm-okhttp4'], () => [
  [...MAVEN, 'compile'],
  [...MAVEN, 'exec:java'],
]);

/** The crates of both are built in one folder, since they are nearly the same. */
const cargo = (context: SuiteContext) => ({
  CARGO_TARGET_DIR: join(context.tools.work, '../cargo'),
});

async function rustOfJar(context: SuiteContext): Promise<string> {
  const folder = await folderFor('openapi-generator-rust', context);
  const options = ['rust', '--package-name', 'petstore'];
  await openapiGenerator(context.tools, folder, options, 'petstore');
  cpSync(join(HERE, 'rust'), folder, { recursive: true });
  const settings = { ...cargo(context), ...variables(context, folder) };
  const output = await mustRun(['cargo', 'run', '--quiet'], folder, settings);
  return await expectRow('openapi-generator (rust)', JAR_VERSION, output);
}

async function progenitor(context: SuiteContext): Promise<string> {
  const folder = await folderFor('progenitor', context);
  cpSync(join(HERE, 'progenitor'), folder, { recursive: true });
  const settings = { ...cargo(context), ...variables(context, folder) };
  const output = await mustRun(['cargo', 'run', '--quiet'], folder, settings);
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
