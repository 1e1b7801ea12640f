import { cpSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packages from '../package.json';
import type { ConformanceSuite, SuiteContext } from '../suite.ts';
import { mustRun } from '../tools.ts';
import { expectRow } from './table.ts';

const HERE = import.meta.dir;
const TSC = join(HERE, '../../../node_modules/.bin/tsc');
const DOCUMENT = 'openapi.json';

/** The jar on Maven Central, with its SHA-256. */
const JAR = {
  version: '7.25.0',
  sha256: '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
};

const TYPESCRIPT_OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'preserve',
  types: [],
};

/** Creates a folder with the document of the service, for one generator. */
async function folderFor(name: string, { tools, service }: SuiteContext): Promise<string> {
  const folder = join(tools.work, name);
  mkdirSync(folder);
  const response = await fetch(`${service.url}/openapi.json`);
  writeFileSync(join(folder, DOCUMENT), await response.text());
  return folder;
}

function variables({ service }: SuiteContext): Readonly<Record<string, string>> {
  return { PETSTORE_URL: `${service.url}/v1`, PETSTORE_KEY: service.key };
}

/**
 * The check of a generator for TypeScript: compiles what it makes together with the program of this
 * name, and runs that.
 */
function typescript(
  generator: string,
  name: string,
  version: string,
  generate: (folder: string, context: SuiteContext) => Promise<unknown>,
): ConformanceSuite['check'] {
  return async (context) => {
    const program = `${name}.ts`;
    const folder = await folderFor(name, context);
    await generate(folder, context);
    for (const file of [program, 'facts.ts'])
      cpSync(join(HERE, 'programs', file), join(folder, file));
    const config = { compilerOptions: TYPESCRIPT_OPTIONS, include: ['*.ts', 'generated'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await mustRun([TSC, '-p', folder], folder);
    const output = await mustRun([process.execPath, program], folder, variables(context));
    return await expectRow(generator, version, output);
  };
}

const openapiTypescript = typescript(
  'openapi-typescript',
  'openapi-typescript',
  packages.dependencies['openapi-typescript'],
  (folder, { tools }) =>
    mustRun([...tools.npm('openapi-typescript'), DOCUMENT, '--output=generated.ts'], folder),
);

const heyApi = typescript(
  '@hey-api/openapi-ts',
  'hey-api',
  packages.dependencies['@hey-api/openapi-ts'],
  (folder, { tools }) =>
    mustRun([...tools.npm('openapi-ts'), '-i', DOCUMENT, '-o', 'generated'], folder),
);

const orval = typescript(
  'orval',
  'orval',
  packages.dependencies.orval,
  async (folder, { tools }) => {
    cpSync(join(HERE, 'orval'), folder, { recursive: true });
    await mustRun(tools.npm('orval'), folder);
  },
);

const openapiGenerator = typescript(
  'openapi-generator',
  'typescript-fetch',
  JAR.version,
  async (folder, { tools }) => {
    const jar = join(tools.work, `../openapi-generator-${JAR.version}.jar`);
    if (!existsSync(jar)) await download(jar);
    // What it makes of the section on webhooks does not compile.
    const { webhooks: _, ...document } = JSON.parse(await Bun.file(join(folder, DOCUMENT)).text());
    writeFileSync(join(folder, 'petstore.json'), JSON.stringify(document));
    const to = ['-i', 'petstore.json', '-g', 'typescript-fetch', '-o', 'generated'];
    await mustRun(['java', '-jar', jar, 'generate', ...to], folder);
  },
);

/** Downloads the jar, checked, into the folder of the tools. */
async function download(jar: string): Promise<void> {
  const path = `openapi-generator-cli/${JAR.version}/openapi-generator-cli-${JAR.version}.jar`;
  const url = `https://repo1.maven.org/maven2/org/openapitools/${path}`;
  const bytes = await (await fetch(url)).bytes();
  const sha256 = Bun.SHA256.hash(bytes, 'hex');
  if (sha256 !== JAR.sha256) throw new Error(`${url} has the SHA-256 ${sha256}`);
  writeFileSync(`${jar}.new`, bytes);
  renameSync(`${jar}.new`, jar);
}

async function oapiCodegen(context: SuiteContext): Promise<string> {
  const folder = await folderFor('oapi-codegen', context);
  cpSync(join(HERE, 'oapi-codegen'), folder, { recursive: true });
  mkdirSync(join(folder, 'petstore'));
  // An older Go gets the one that the generator needs.
  const go = (...command: readonly string[]) =>
    mustRun(['go', ...command], folder, { GOTOOLCHAIN: 'auto', ...variables(context) });
  await go('tool', 'oapi-codegen', '-config', 'oapi-codegen.yaml', DOCUMENT);
  await go('vet', './...');
  const output = await go('run', '.');
  const modules = await go('list', '-m', 'github.com/oapi-codegen/oapi-codegen/v2');
  return await expectRow('oapi-codegen', modules.trim().split(' v')[1] ?? '', output);
}

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
  const output = await mustRun([tools.python('python'), 'facts.py'], folder, variables(context));
  const version = await mustRun([tools.python('openapi-python-client'), '--version'], folder);
  return await expectRow('openapi-python-client', version.trim().split(' ').at(-1) ?? '', output);
}

/** A reader as assistants have it: it makes a tool of each operation of the small document. */
async function modelTools(context: SuiteContext): Promise<string> {
  const folder = await folderFor('model-tools', context);
  const program = join(folder, 'model-tools.ts');
  cpSync(join(HERE, 'programs/model-tools.ts'), program);
  // Its own types need those of Node.
  const config = { compilerOptions: { ...TYPESCRIPT_OPTIONS, skipLibCheck: true } };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, files: [program] }));
  await mustRun([TSC, '-p', folder], folder);
  return (await mustRun([process.execPath, program], folder, variables(context))).trim();
}

const NO_JAVA =
  Bun.which('java') === null
    ? 'Java is not installed (apt-get install default-jre-headless)'
    : undefined;
const NO_GO = Bun.which('go') === null ? 'Go 1.21 or later is not installed' : undefined;

/** Generators of clients, whose results are in a table of the guide `generated-clients.md`. */
export const generators: readonly ConformanceSuite[] = [
  { name: 'generated clients: openapi-typescript', check: openapiTypescript },
  { name: 'generated clients: hey-api', check: heyApi },
  { name: 'generated clients: orval', check: orval },
  { name: 'generated clients: openapi-generator', missing: NO_JAVA, check: openapiGenerator },
  { name: 'generated clients: oapi-codegen', missing: NO_GO, check: oapiCodegen },
  { name: 'tools for models: @samchon/openapi', check: modelTools },
  { name: 'generated clients: openapi-python-client', check: openapiPythonClient },
];
