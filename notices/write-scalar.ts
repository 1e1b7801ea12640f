/**
 * `bun notices/write-scalar.ts VERSION`: writes scalar.txt, the notices of the script of the
 * reference page. It is built from packages that nothing here installs, so this installs them, in a
 * folder that it removes.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageNotices, RULE } from './packages.ts';

const NAME = '@scalar/api-reference';
const LICENCE = join(import.meta.dir, '../src/site/reference/scalar-LICENSE.txt');

const [version] = process.argv.slice(2);
if (version === undefined) throw new Error('Say which version: bun notices/write-scalar.ts 1.72.1');

const folder = mkdtempSync(join(tmpdir(), 'scalar-notices-'));
try {
  writeFileSync(join(folder, 'package.json'), '{}');
  const install = ['npm', 'install', '--ignore-scripts', '--no-audit', `${NAME}@${version}`];
  const { success } = Bun.spawnSync(install, {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (!success) throw new Error(`${NAME}@${version} cannot be installed`);
  const licence = readFileSync(LICENCE, 'utf8').trim();
  const head = `${NAME} ${version} and the packages that its script is built from, as npm installs them.`;
  const notices = packageNotices(folder, [/^@scalar\//, /^@types\//]);
  writeFileSync(
    join(import.meta.dir, 'scalar.txt'),
    `${head}\n\n${RULE}\n\n${licence}\n\n${RULE}\n\n${notices}\n`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
