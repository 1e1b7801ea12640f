// Makes the code that `npm pack` ships, as ES modules and, for `require`, as CommonJS in cjs/.
// Usage: node build.js [FOLDER], which is dist/ unless it is given.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const [dist = join(folder, 'dist')] = process.argv.slice(2);
const cjs = join(dist, 'cjs');
const AS_COMMONJS = ['--module', 'commonjs', '--moduleResolution', 'bundler'];
rmSync(dist, { recursive: true, force: true });
compile('--outDir', dist);
compile(...AS_COMMONJS, '--verbatimModuleSyntax', 'false', '--outDir', cjs);
writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');

function compile(...options) {
  const { status } = spawnSync('tsc', ['-p', folder, ...options], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

// The compiler renames imports in the JavaScript, but not in the types.
for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const path = join(dist, name);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.[^']*)\.ts';/g, "$1.js';"));
}
