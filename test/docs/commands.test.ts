import { describe, expect, test } from 'bun:test';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { examplesIn } from './examples.ts';

const ROOT = join(import.meta.dir, '../..');
const MAIN = join(ROOT, 'src/main.ts');

function filesIn(...patterns: readonly string[]): readonly (readonly [string, string])[] {
  return patterns
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)])
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]);
}

const pages = filesIn('*.md', 'bench/*.md', 'docs/**/*.md', 'examples/**', 'packages/*/README.md');

describe('documented and printed commands', () => {
  test('do not run a package that a registry might have under our name', () => {
    // Each of these fetches a package that is not installed.
    const fetching = /\b(?:npx|bunx|pnpx|npm exec|npm x|bun x|yarn dlx|pnpm dlx)\b/;
    const installing = /\bnpm (?:install|i|add) (?:-\S+ )*petstore[\w-]*(?![\w./-])/;
    const found = [...pages, ...filesIn('src/**/*.ts', 'package.json')]
      // A program of others that Claude's own settings start is fetched under its own name.
      .map(([path, text]) => [path, text.replace(/"npx",\s*"args": \["-y", "mcp-remote"/, '')])
      .filter(([, text = '']) => fetching.test(text) || installing.test(text))
      .map(([path]) => path);
    expect(found).toEqual([]);
  });

  test('have no key in their arguments, where any user of the machine could read it', () => {
    const shown = /curl(?:[^\n]*\\\n)*[^\n]*(?:Authorization|petstore_live_|API_KEY)/;
    const typed = /API_KEY=\S*petstore_/;
    const found = pages.flatMap(([path, text]) =>
      path.endsWith('.md')
        ? examplesIn(text)
            .filter(({ language }) => language === 'sh')
            .filter((example) => shown.test(example.text) || typed.test(example.text))
            .map((example) => `${path}: ${example.text}`)
        : [],
    );
    expect(found).toEqual([]);
  });
});

test('the lines of “Your own shop” in the README work when typed in order', async () => {
  using folder = createTemporaryFolder();
  const [, section = ''] = readFileSync(join(ROOT, 'README.md'), 'utf8').split('## Your own shop');
  const [example] = examplesIn(section);
  const text = example?.text ?? '';
  expect(text).toStartWith('npm run build\n');
  expect(text).toEndWith('dist/petstore serve');
  // A build takes long and has its own tests, so a stand-in creates a file that runs the sources.
  mkdirSync(folder.file('bin'));
  const program = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
  const npm = `#!/bin/sh\n[ "$*" = 'run build' ] && mkdir dist && cat > dist/petstore <<'END'\n${program}END\nchmod +x dist/petstore\n`;
  writeFileSync(folder.file('bin/npm'), npm);
  chmodSync(folder.file('bin/npm'), 0o755);
  const files = 'test/world/files';
  cpSync(join(ROOT, files), folder.file(files), { recursive: true });

  const child = Bun.spawn(['bash', '-e'], {
    cwd: folder.path,
    env: {
      PATH: `${folder.file('bin')}:${process.env['PATH']}`,
      PETSTORE_PORT: '0',
      PETSTORE_OPS_PORT: 'off',
    },
    stdin: new Blob([text.replace(/dist\/petstore serve$/, 'exec $&')]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let output = '';
  let errors = '';
  const reading = Promise.all([
    (async () => {
      for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk);
    })(),
    (async () => {
      for await (const chunk of child.stderr) errors += new TextDecoder().decode(chunk);
    })(),
  ]);
  try {
    await eventually(
      () => errors,
      (text) => text.includes('Serving on http'),
    );
    expect(output).toContain('3 new, 0 changed');
    const [, url = ''] = /Serving on (\S+)/.exec(errors) ?? [];
    const [key = ''] = /^petstore_live_\w{38}$/m.exec(output) ?? [];
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${url}/pets?limit=100`, { headers });
    expect(response.status).toBe(200);
    expect(await response.json()).toHaveLength(3);
  } finally {
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  }
  await reading;
  expect(errors).toMatch(/^petstore: new, empty database at \S+shop.db\nServing on \S+\n$/);
}, 120_000);
