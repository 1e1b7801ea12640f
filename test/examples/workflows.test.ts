import { describe, expect, test } from 'bun:test';
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createTemporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dir, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const found = (pattern: string): string[] =>
  [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })].sort();

const WORKFLOWS = found('.github/workflows/*.yml');
const SCRIPTS = found('.ci/*');
const { version, scripts } = JSON.parse(read('package.json'));

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly uses?: string;
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
}
interface Workflow {
  readonly on: object;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflow = (path: string): Workflow => parse(read(path));
const jobsOf = (path: string): Job[] => Object.values(workflow(path).jobs);
const commandsOf = (path: string): string =>
  path.startsWith('.ci/')
    ? read(path)
    : jobsOf(path)
        .flatMap(({ steps = [] }) => steps.map(({ run = '' }) => run))
        .join('\n');

describe.each([...WORKFLOWS, ...SCRIPTS])('%s', (path) => {
  test('runs only existing npm scripts', () => {
    const run = [...commandsOf(path).matchAll(/\bnpm run (?:-\S+ )*([\w:-]+)/g)];
    expect(run.map(([, script = '']) => script).filter((script) => !(script in scripts))).toEqual(
      [],
    );
  });

  test('names only existing files, and those that it runs are executable', () => {
    const named = commandsOf(path).match(/(?:\.ci|examples)\/[\w.-]+/g) ?? [];
    expect(named.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
    const run = named.filter((name) => name.startsWith('.ci/'));
    expect(run.filter((name) => (statSync(join(ROOT, name)).mode & 0o111) === 0)).toEqual([]);
  });
});

describe.each(WORKFLOWS)('%s', (path) => {
  test('pins every action to a commit', () => {
    const used = [...read(path).matchAll(/^ *(?:- )?uses: (.+)$/gm)].map(
      ([, action = '']) => action,
    );
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) {
      expect(action).toMatch(
        /^(?:\.\/\.github\/workflows\/\w+\.yml|[\w/-]+@[0-9a-f]{40} # v[\d.]+)$/,
      );
    }
  });

  test('has no write permission outside jobs, and every job has a timeout', () => {
    expect(Object.values(workflow(path).permissions)).not.toContain('write');
    for (const { uses, 'timeout-minutes': minutes } of jobsOf(path)) {
      if (uses === undefined) expect(minutes).toBeGreaterThan(0);
    }
  });
});

test('the check runs for every push to main, pull request and release', () => {
  const check = '.github/workflows/check.yml';
  expect(workflow(check).on).toMatchObject({
    push: { branches: ['main'] },
    pull_request: null,
    workflow_call: null,
  });
  expect(commandsOf(check)).toBe('\n.ci/run');
  const { jobs } = workflow('.github/workflows/release.yml');
  expect(jobs['check']?.uses).toBe(`./${check}`);
  expect(jobs['build']).toMatchObject({ needs: 'check' });
  expect(jobs['publish']).toMatchObject({ needs: ['build', 'clients'] });
});

describe('.ci/release-notes', () => {
  const notes = (tag: string, root = ROOT) =>
    Bun.spawnSync([join(root, '.ci/release-notes'), tag], { stderr: 'pipe' });

  test('prints the entry of the changelog for the tag of this version', () => {
    const { exitCode, stdout } = notes(`v${version}`);
    expect(exitCode).toBe(0);
    const text = stdout.toString();
    expect(read('CHANGELOG.md')).toContain(`## ${version}\n\n${text}`);
    expect(text).toStartWith('The first release.');
    expect(text).not.toContain('## ');
  });

  test('stops the release of any other tag', () => {
    const { exitCode, stdout, stderr } = notes('v0.0.1');
    expect([exitCode, stdout.toString()]).toEqual([1, '']);
    expect(stderr.toString()).toBe(`the tag is v0.0.1, but package.json says ${version}\n`);
  });

  test('stops the release of a version without an entry in the changelog', async () => {
    using folder = createTemporaryFolder();
    cpSync(join(ROOT, '.ci'), folder.file('.ci'), { recursive: true });
    await Bun.write(folder.file('package.json'), '{"version":"1.1.0"}');
    await Bun.write(folder.file('CHANGELOG.md'), '# Changelog\n\n## 1.1.0-rc.1\n\n- Something.\n');
    const { exitCode, stderr } = notes('v1.1.0', folder.path);
    expect(exitCode).toBe(1);
    expect(stderr.toString()).toBe("CHANGELOG.md has no entry '## 1.1.0'\n");
  });
});

test('the update bot watches only folders with a manifest', () => {
  const manifests: Readonly<Record<string, string>> = {
    npm: 'package-lock.json',
    pip: 'requirements.txt',
    gomod: 'go.mod',
    docker: 'Dockerfile',
    'github-actions': '.github/workflows',
  };
  const { updates } = parse(read('.github/dependabot.yml'));
  const manifestPaths = updates.flatMap((update: Record<string, string>) =>
    [update['directories'] ?? update['directory']]
      .flat()
      .map((folder) =>
        join('.', folder ?? '', manifests[update['package-ecosystem'] ?? ''] ?? '?'),
      ),
  );
  expect(manifestPaths.length).toBeGreaterThan(5);
  expect(manifestPaths.filter((path: string) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test.each(found('.github/ISSUE_TEMPLATE/*.yml').filter((path) => !path.endsWith('/config.yml')))(
  '%s is a form with a name and unique questions',
  (path) => {
    const form = parse(read(path));
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    const ids = form.body.flatMap(({ id }: { id?: string }) => id ?? []);
    expect(ids.length).toBeGreaterThan(3);
    expect(new Set(ids).size).toBe(ids.length);
  },
);
