import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const HERE = import.meta.dir;
const FILES = ['package.json', 'package-lock.json', 'requirements.txt'];

/** What the judges are run with, installed in exact versions outside the tree. */
export interface Tools {
  /** A folder of this run, from which the packages of npm are found. */
  readonly work: string;
  /** A program of a package of npm, as arguments that run it. */
  npm(program: string): string[];
  /** A program of the Python environment. */
  python(program: string): string;
}

/** What a program wrote, and how it ended. */
export interface Ran {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs a program to its end, in a folder and with settings besides our own. */
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

/** Runs a program that must succeed; gives what it wrote. */
export async function mustRun(...parameters: Parameters<typeof runTool>): Promise<string> {
  const { exitCode, output } = await runTool(...parameters);
  if (exitCode !== 0)
    throw new Error(`${parameters[0].join(' ')} ended with ${exitCode}\n${output}`);
  return output;
}

/** Installs the tools where they are not yet; another version of any of them is another folder. */
export async function installTools(): Promise<Tools & Disposable> {
  const texts = await Promise.all(FILES.map((file) => Bun.file(join(HERE, file)).text()));
  const version = Bun.SHA256.hash(texts.join('\n'), 'hex').slice(0, 16);
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const root = join(cache, 'petstore-judges', version);
  // Written last, so that an installation that was interrupted begins anew.
  const complete = join(root, 'complete');
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
    // All of them run on Bun, which is here anyway: some refuse the Node that may be.
    npm: (program) => [process.execPath, join(root, 'node_modules/.bin', program)],
    python: (program) => join(root, 'venv/bin', program),
    [Symbol.dispose]: () => rmSync(work, { recursive: true, force: true }),
  };
}
