import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const HERE = import.meta.dir;
const FILES = ['package.json', 'package-lock.json', 'requirements.txt'];

/** The tools of the suites, installed in exact versions outside the source tree. */
export interface Tools {
  /** A folder for this run, inside the installation so that npm packages resolve. */
  readonly work: string;
  /** The command that runs a program of an npm package. */
  npm(program: string): string[];
  /** A program of the Python environment. */
  python(program: string): string;
}

/** The output of a program, and its exit code. */
export interface Ran {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs a program to its end in a folder, with these variables added to our environment. */
export async function runTool(
  command: readonly string[],
  cwd: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const env = { ...process.env, ...settings };
  const child = Bun.spawn([...command], {
    cwd,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [exitCode, stdout, stderr] = await Promise.all([
    child.exited,
    child.stdout.text(),
    child.stderr.text(),
  ]);
  return { exitCode, output: stdout + stderr };
}

/** Runs a program and returns its output. Throws if it fails. */
export async function mustRun(...parameters: Parameters<typeof runTool>): Promise<string> {
  const { exitCode, output } = await runTool(...parameters);
  if (exitCode !== 0)
    throw new Error(`${parameters[0].join(' ')} ended with ${exitCode}\n${output}`);
  return output;
}

/** Returns the folder of the installation, which each set of versions has for itself. */
async function installationFolder(): Promise<string> {
  const texts = await Promise.all(FILES.map((file) => Bun.file(join(HERE, file)).text()));
  const version = Bun.SHA256.hash(texts.join('\n'), 'hex').slice(0, 16);
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'petstore-conformance', version);
}

/** Written last, so that an interrupted installation starts over. */
const completeIn = (root: string) => join(root, 'complete');
const pythonIn = (root: string, program: string) => join(root, 'venv/bin', program);

/** Returns Python with the packages of the suites; undefined if the tools are not installed. */
export async function installedPython(): Promise<string | undefined> {
  const root = await installationFolder();
  return existsSync(completeIn(root)) ? pythonIn(root, 'python3') : undefined;
}

/** Installs the tools unless this exact set of versions is installed already. */
export async function installTools(): Promise<Tools & Disposable> {
  const root = await installationFolder();
  const complete = completeIn(root);
  if (!existsSync(complete)) {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    for (const file of FILES) cpSync(join(HERE, file), join(root, file));
    await mustRun(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], root);
    await mustRun(['python3', '-m', 'venv', 'venv'], root);
    const pip = ['venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check'];
    await mustRun([...pip, '--requirement', 'requirements.txt'], root);
    writeFileSync(complete, '');
  }
  const work = mkdtempSync(join(root, 'run-'));
  return {
    work,
    // The npm tools run on Bun, because some refuse older versions of Node.
    npm: (program) => [process.execPath, join(root, 'node_modules/.bin', program)],
    python: (program) => pythonIn(root, program),
    [Symbol.dispose]: () => rmSync(work, { recursive: true, force: true }),
  };
}
